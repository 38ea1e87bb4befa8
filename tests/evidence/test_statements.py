"""Every statement of the ledger is valid LaTeX mathematics, and every row has a sentence.

Both are read from the ledger; nothing is verified anew.  A strict parser reads the formula; what it lets pass (commands
that no one knows, mathematics inside text, delimiters without their other half, two indices at one letter) is looked
for here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from pylatexenc.latexwalker import LatexWalker, LatexWalkerParseError

from fltheory.evidence.ledger import read_ledger

LEDGER = read_ledger()
STATEMENTS = {row_id: row["statement"] for row_id, row in LEDGER.items() if row["statement"]}

#: Commands that every LaTeX with amsmath, MathJax and KaTeX know, with the number of arguments that must follow.
COMMANDS = {
    **dict.fromkeys(
        r"""alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega
        varepsilon vartheta varsigma varphi varrho Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega
        le ge ne leq geq neq ll gg approx sim simeq equiv propto preceq succeq prec succ in notin ni subset subseteq cup cap
        setminus emptyset infty partial nabla ell star ast cdot times pm mp circ top perp mid parallel wedge vee
        to mapsto rightarrow leftarrow Rightarrow Leftarrow Leftrightarrow Longrightarrow Longleftrightarrow iff implies
        uparrow downarrow forall exists sum prod int max min sup inf lim limsup liminf arg log exp det dim Pr
        langle rangle lfloor rfloor lceil rceil vert Vert quad qquad dots ldots cdots not
        textstyle displaystyle colon limits nolimits lbrace rbrace""".split(),
        0,
    ),
    **dict.fromkeys("bar tilde hat widetilde widehat vec dot ddot overline underline sqrt".split(), 1),
    **dict.fromkeys("mathbb mathcal mathrm mathbf mathsf operatorname text".split(), 1),
    **dict.fromkeys("frac tfrac dfrac binom overset underset stackrel".split(), 2),
    **dict.fromkeys("left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr".split(), 1),
    **dict.fromkeys([*r",;:!|{}%#&_ "], 0),
}
_DELIMITER = re.compile(r"\s*(?:[()\[\]|/.<>]|\\[{}|]|\\(?:langle|rangle|[lr]floor|[lr]ceil|[lr]?[vV]ert)(?![A-Za-z]))")
_SIZES = re.compile(r"\\(left|right|[bB]igg?[lr]?)(?![A-Za-z])")
_TEXTS = ("text", "operatorname", "mathrm")


def _text_problems(text: str) -> Iterator[str]:
    """Mathematics inside words."""
    for words in re.finditer(rf"\\({'|'.join(_TEXTS)})\s*\{{", text):
        depth, end = 1, words.end()
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        content = re.sub(r"\\[ %#&_,]", "", text[words.end() : end - 1])
        if re.search(r"[\\^_{}]", content):
            yield f"mathematics inside \\{words[1]}"


def _delimiter_problems(text: str) -> Iterator[str]:
    """Sizes without a delimiter, and ``left`` and ``right`` that do not pair within one group."""
    depths: list[list[int]] = [[0]]
    position = 0
    while position < len(text):
        size = _SIZES.match(text, position)
        if size:
            delimiter = _DELIMITER.match(text, size.end())
            if not delimiter:
                yield f"{size[0]} has no delimiter"
            depths[-1][0] += {"left": 1, "right": -1}.get(size[1], 0)
            if depths[-1][0] < 0:
                yield "right without left"
            position = delimiter.end() if delimiter else size.end()
        elif text[position] == "\\":
            position += 2
        else:
            if text[position] == "{":
                depths.append([0])
            elif text[position] == "}" and len(depths) > 1 and depths.pop()[0]:
                yield "left without right in its group"
            position += 1
    if depths[-1][0]:
        yield "left without right"


_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[\^_']|\S", re.S)


def _script_problems(text: str) -> Iterator[str]:
    """Two upper or two lower indices at one letter, and indices without content."""
    tokens = _TOKEN.findall(text)
    seen = [""]  # the marks at the present letter, for each open group
    number = 0
    while number < len(tokens):
        token = tokens[number]
        if token in ("^", "_"):
            if token in seen[-1]:
                yield f"a second {token} at one letter"
            if number + 1 == len(tokens) or tokens[number + 1] in ("^", "_", "}", "'"):
                yield f"{token} without content"
            seen[-1] += token
            number += 1
            if number < len(tokens) and tokens[number] == "{":
                seen.append("")
            elif number < len(tokens) and COMMANDS.get(tokens[number].lstrip("\\"), 0) and tokens[number][0] == "\\":
                number += 1  # the argument of a command that is an index, as in x^\mathrm{T}
                if number < len(tokens) and tokens[number] == "{":
                    seen.append("")
        elif token == "'":
            if "^" in seen[-1]:
                yield "a prime after an upper index"
        elif token == "{":
            seen[-1] = ""
            seen.append("")
        elif token == "}":
            if len(seen) > 1:
                seen.pop()
        else:
            seen[-1] = ""
        number += 1


#: A matrix is looked at entry by entry.
_MATRIX = re.compile(r"\\begin\{pmatrix\}(.*?)\\end\{pmatrix\}")


def problems_of(statement: str) -> list[str]:
    """What is wrong with a statement as the content of a display formula."""
    try:
        nodes = LatexWalker(f"\\({statement}\\)", tolerant_parsing=False).get_latex_nodes()[0]
    except LatexWalkerParseError as error:
        return [f"no LaTeX: {str(error).splitlines()[0]}"]
    if len(nodes) != 1:
        return ["ends before its end"]
    found = []
    statement = _MATRIX.sub(lambda one: re.sub(r"&|\\\\", ",", one[1]), statement)
    plain = re.sub(r"\\.", "", statement)
    found += [f"{sign!r} in mathematics" for sign in '$%#&`"~' if sign in plain]
    found += [f"{sign!r} is not ASCII" for sign in sorted(set(statement)) if ord(sign) > 126 or ord(sign) < 32]
    for name, argument in re.findall(r"\\([A-Za-z]+|.)(\s*\S)?", statement):
        if name not in COMMANDS:
            found.append(f"unknown command \\{name}")
        elif COMMANDS[name] and (not argument or argument.strip() in ("}", "^", "_", "&")):
            found.append(f"\\{name} without argument")
    without_text = re.sub(r"\\(?:text|operatorname)\s*\{[^{}]*\}", "x", statement)
    return [*found, *_text_problems(statement), *_delimiter_problems(without_text), *_script_problems(without_text)]


@pytest.mark.parametrize("document", sorted({row["document"] for row in LEDGER.values()}))
def test_every_statement_is_valid_latex(document: str) -> None:
    wrong = {
        row_id: found
        for row_id, statement in STATEMENTS.items()
        if LEDGER[row_id]["document"] == document and (found := problems_of(statement))
    }
    assert not wrong


@pytest.mark.parametrize(
    "planted",
    [
        r"x^{2",
        r"x^2}",
        r"\left(x",
        r"\left(x\Big)",
        r"{\left(x}\right)",
        r"\big x",
        r"x^a^b",
        r"x_a_b",
        r"x^",
        r"x^2'",
        r"\frac12 $x$",
        r"\text{if $x$}",
        r"\text{\Gamma=0}",
        r"\text{sigma_c^2}",
        r"\lex y",
        r"\sqrt",
        r"50% of x",
        "x \u2264 y",
        r"\begin{array}x",
        r"a\)b\(c",
    ],
)
def test_faults_are_found(planted: str) -> None:
    assert problems_of(planted)


@pytest.mark.parametrize(
    "sound",
    [
        r"\left\{x_i^2\right\}_{i\le n}^{\top}",
        r"{x'}^2+x_{a_b}^{c^d}",
        r"\Big\|\sum_k\Big\|^2\le50\%\text{ of it, and more}",
        r"\frac12\sqrt[3]{\tfrac{d_0}{c_2}}",
        r"f'_i(x)^2",
        r"\mathrm{tol}^2=\operatorname{tr}(A)",
    ],
)
def test_sound_formulas_pass(sound: str) -> None:
    assert problems_of(sound) == []


#: Verbs that make a sentence of a summary.  A new one is added where a summary that is a sentence is refused.
VERBS = frozenset(
    """is are was were be has have had holds hold does do can could may might must will would need needs
    computes sets repeats breaks
    adds add admits admit agree agrees allows allow amounts applies apply appears asks attains attain averages
    beats bears become becomes begins belongs bounds bound bring brings carries carry changes change coincides collects
    approach approaches combines comes contains contain
    contract contracts contradict converge converges cost costs counts covers cover
    decrease decreases defines depend depends determines differ differs disappears diverges divide divides does dominates
    draw drops end ends enter enters equal equals evaluates exceed exceeds exchange exchanges exist
    exists fails fail fall falls follow follows
    fit fits form gives give goes grow grows halve help implies improves increase increases joins keep keeps leave leaves lie lies
    lose loses lost lower lowers make makes mean means meet meets moves move multiplies names needs obeys occurs outlaw pass passes
    performs preserves print prints prove proves reaches read reads reduce reduces refers remembers remove removes repeat
    replaces run runs require requires restricts rest rests rise rises satisfies satisfy save saves say says scales see send sends
    separates serves share show shows solves solve speaks speeds splits stands start starts state states stay stays suffice
    suffices sum sums survives take takes telescopes tend tends treats turn turns use uses vanish vanishes walks wins""".split()
)


def sentence_problems(text: str) -> list[str]:
    """Why a summary is no sentence."""
    words = re.findall(r"[A-Za-z0-9][A-Za-z0-9_']*", text)
    found = [] if len(words) >= 3 else ["has fewer than three words"]
    if not re.search(r"[.!?]\)?$", text):
        found.append("does not end like a sentence")
    if re.match(r"(a|an|the|this|that|with|for|in|on|one|two|many|every|each|all|from|of|at|by|as|it)\b", text):
        found.append("begins with a small letter")
    if not VERBS & {word.lower() for word in words}:
        found.append("has no verb that is known here")
    return found


def test_every_row_has_a_sentence() -> None:
    wrong = {row_id: found for row_id, row in LEDGER.items() if (found := sentence_problems(row["summary"]))}
    assert not wrong


@pytest.mark.parametrize(
    "text", ["", "Lemma D.2.", "AM-GM with weight eta.", "closed form of A^{-1} b", "the bound holds."]
)
def test_fragments_are_no_sentences(text: str) -> None:
    assert sentence_problems(text)
