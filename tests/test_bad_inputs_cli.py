"""Bad arguments of the command line: exit code 2, one line that says which argument and why, no traceback.

A row is what stands behind ``fltheory`` and the words of the error.  ``OWN`` is a folder with one good claim, ``FILE`` a file,
``EMPTY`` an empty folder.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from fltheory.cli import main

ROOT = Path(__file__).resolve().parents[1]
TABLE = r"""
verfiy  # did you mean verify
--no-such-option  # No such option
verify --no-such-option  # No such option
verify --jobs 0  # --jobs
verify --jobs -1  # --jobs
verify --jobs 1.5  # --jobs
verify --jobs two  # --jobs
verify --jobs nan  # --jobs
verify --jobs  # --jobs
verify --timeout nan  # --timeout
verify --timeout inf  # --timeout
verify --timeout -inf  # --timeout
verify --timeout 0  # --timeout
verify --timeout -1  # --timeout
verify --timeout 1e300  # --timeout
verify --timeout soon  # --timeout
verify --timeout ''  # --timeout
verify --check --write  # exclude each other
verify --path OWN --check  # --path
verify --path OWN --write  # --path
verify --path no/such/folder  # does not exist
verify --path FILE  # does not exist
verify --path EMPTY  # holds no *.py file
verify --path OWN NO-SUCH-CLAIM  # NO-SUCH-CLAIM
verify --path OWN --output EMPTY  # --output
verify --path OWN --output FILE/out.json  # is no folder
verify --path OWN --output ''  # --output
verify --lower LI-LEM3  # --write
verify --all  # --all needs --check
verify --retire LI-LEM3 gone  # --write
verify --write --retire NO-SUCH-ROW gone  # no kept row of that id
verify --write --retire NO-SUCH-ROW  # requires 2 arguments
experiment all --spot --attest  # --spot excludes
verify LI-LEM33  # did you mean
verify li2021  # did you mean
verify LI-LEM1 NO-SUCH-CLAIM  # NO-SUCH-CLAIM
show  # Missing argument 'ID'
show LI-LEM33  # did you mean LI-LEM3
show ''  # no claim ''
show LI-LEM1 LI-LEM2  # unexpected extra argument
show --json  # Missing argument 'ID'
show 3  # no claim '3'
list --document li2021  # no document 'li2021'
list --document ''  # no document ''
list --verdict splendid  # holds
list --verdict HOLDS  # no verdict 'HOLDS'
list --kind theorem  # no kind 'theorem'
list --kind 3  # no kind '3'
list LI-LEM1  # unexpected extra argument
figure  # Missing argument
figure no-such-figure  # no script 'no-such-figure'
figure ''  # no script ''
figure all extra  # unexpected extra argument
figure no-such-figure --output FILE  # --output
figure no-such-figure --data FILE  # --data
figure compare --output FILE/out  # is no folder
course build --output FILE/out  # is no folder
course check 1 no-such-file.py  # 'no-such-file.py' is no file
experiment  # Missing argument
experiment no-such-experiment  # no script 'no-such-experiment'
experiment ''  # no script ''
experiment ../figures  # no script '../figures'
experiment no-such-experiment --results FILE  # --results
experiment --full  # Missing argument
latex  # Missing argument
latex li2021  # li2021
latex ''  # document=''
latex li2020 --output EMPTY  # --output
latex li2020 --output FILE/out.tex  # --output
latex li2020 extra  # unexpected extra argument
certify  # Missing argument
certify FedAvg  # --step-size
certify FedAgv --step-size 1  # did you mean FedAvg
certify '' --step-size 1  # no algorithm ''
certify FedAvg --step-size x  # x
certify FedAvg --step-size 1e99999999  # '1e99999999' has too many digits
certify FedAvg --step-size 1 --quantity distance=1e-99999999  # has too many digits
certify FedAvg --step-size 1/0  # '1/0' is no number
plan FedAvg --clients 1:1,2:0  # expected exactly one of
plan FedAvg --clients 1:1,2:0 --rounds 3 --gradients 5  # expected exactly one of
plan FedAvg --clients 1:1,2:0 --rounds 0  # --rounds
plan FedAgv --clients 1:1,2:0 --rounds 3  # did you mean FedAvg
plan FedAvg --rounds 3  # --problem
plan FedAvg --rounds 3  # --mu NUMBER with --smooth NUMBER
plan FedAvg --clients 1:1,2:0 --rounds 3 --gradients 5  # --rounds 3, --gradients 5; expected exactly one of --rounds, --local-steps
plan FedAvg --mu 0.1 --smooth 1 --gradients 10  # expected --rounds or --local-steps for a class
plan FedAvg --clients 1:1,2:0 --gradients nan  # gradients=nan
plan FedAvg --clients 1:1,2:0 --gradients 0.5  # pays for no round
plan FedAvg --clients 1:1,2:0 --rounds 3 --try 1,x  # --try
plan FedAvg --clients 1:1,2:0 --rounds 3 --try 0  # local_steps_grid=0
plan FedAvg --clients 1:1,2:0 --rounds 3 --cohort 3  # 3 clients of N=2
plan FedAvg --clients 1:1,2:0 --rounds 3 --noise 0.1 --batch 2  # exclude each other
plan FedAvg --clients 1:1,2:0 --rounds 3 --noise -1  # -1
plan FedAvg --clients 1:1,2:0 --mu 0.1 --smooth 1 --rounds 3  # --mu and --smooth
plan FedAvg --mu 0.1 --rounds 3  # both of --mu and --smooth
plan FedAvg --mu 2 --smooth 1 --rounds 3  # mu
plan FedAvg --mu 0.1 --smooth 1 --gradients 10  # needs a problem with clients
plan FedAvg --problem nowhere.py:made --rounds 3  # nowhere.py
plan FedAvg --problem no_such --rounds 3  # no_such
stability FedAvg  # --step-size
stability FedAgv --step-size 1 --clients 1:1  # did you mean FedAvg
stability FedAvg --step-size 1  # --problem
stability FedAvg --step-size 1 --clients 1:1,2:0 --local-steps 100000000  # local_steps=100000000: too large a request
stability FedAvg --step-size 1e-300 --clients 1:1,2:0  # in Python, exact=True of fltheory.round_map
best-step FedAvg --mu 1/10 --field local_steps  # the field must be a real number
stability FedAvg --step-size nan --clients 1:1,2:0  # nan
stability FedAvg --step-size 0 --clients 1:1,2:0  # step_size
stability FedAvg --step-size 1 --clients 1:1,2  # CURVATURE:MINIMISER
stability FedAvg --step-size 1 --clients 1:1e99999999  # --clients
stability FedAvg --step-size 1 --problem no_such  # no_such
stability FedAvg --step-size 1 --clients 1:1,2:0 --participation SchemeV --cohort 1  # SchemeV
stability FedAvg --step-size 1 --clients 1:1,2:0 --participation SchemeII --cohort 3  # 3
certify FedAvg --step-size nan  # step
certify FedAvg --step-size inf  # step
certify FedAvg --step-size -1  # step_size
certify FedAvg --step-size 0  # step_size
certify FedAvg --step-size 1/0  # step
certify FedAvg --step-size ''  # step
certify FedAvg --step-size 1 --local-steps 0  # --local-steps
certify FedAvg --step-size 1 --local-steps -1  # --local-steps
certify FedAvg --step-size 1 --local-steps 1.5  # --local-steps
certify FedAvg --step-size 1 --local-steps x  # --local-steps
certify FedAvg --step-size 1 --rounds 0  # --rounds
certify FedAvg --step-size 1 --rounds 2.5  # --rounds
certify FedAvg --step-size 1 --rounds nan  # --rounds
certify FedAvg --step-size 1 --mu x  # mu
certify FedAvg --step-size 1 --mu nan  # mu
certify FedAvg --step-size 1 --mu 2 --L 1  # mu=2 exceeds L=1
certify FedAvg --step-size 1 --mu 1 --L 1  # mu=L=1
certify FedAvg --step-size 1 --L 0  # L=0
certify FedAvg --step-size 1 --L -1  # L=-1
certify FedAvg --step-size 1 --L inf  # L
certify FedAvg --step-size 1 --L x  # L
certify FedAvg --step-size 1 --centre-L 1  # centre
certify FedAvg --step-size 1 --centre-L x  # centre
certify FedAvg --step-size 1 --measure splendid  # splendid
certify FedAvg --step-size 1 --start splendid  # splendid
certify FedAvg --step-size 1 --heterogeneity splendid  # splendid
certify FedAvg --step-size 1 --heterogeneity dissimilarity:x  # x
certify FedAvg --step-size 1 --heterogeneity dissimilarity:1/2  # B=1/2
certify FedAvg --step-size 1 --heterogeneity ''  # heterogeneity
certify FedAvg --step-size 1 --quantity heterogeneity  # --quantity
certify FedAvg --step-size 1 --quantity heterogeneity=x  # --quantity
certify FedAvg --step-size 1 --quantity heterogeneity=-1  # heterogeneity=-1 bounds
certify FedAvg --step-size 1 --set local_steps=3  # --set local_steps: expected --local-steps NUMBER
certify FedAvg --step-size 1 --quantity heterogeneity=nan  # --quantity
certify FedAvg --step-size 1 --quantity splendid=1  # splendid
certify FedAvg --step-size 1 --set splendid=1  # splendid
certify FedAvg --step-size 1 --set server_step_size  # --set
certify FedAvg --step-size 1 --set server_step_size=x  # --set
certify FedAvg --step-size 1 --n-clients 0  # --n-clients
certify FedAvg --step-size 1 --n-clients 2.5  # --n-clients
certify FedAvg --step-size 1 --cohort 0  # --cohort
certify FedAvg --step-size 1 --cohort x  # --cohort
certify FedAvg --step-size 1 --cohort 2  # n_clients
certify FedAvg --step-size 1 --cohort 3 --n-clients 2  # 3
certify FedAvg --step-size 1 --replacement  # cohort
certify FedAvg --step-size 1 --centre-noise  # centre_noise
certify FedAvg --step-size 1 --time-limit nan  # --time-limit
certify FedAvg --step-size 1 --time-limit inf  # --time-limit
certify FedAvg --step-size 1 --time-limit 0  # --time-limit
certify FedAvg --step-size 1 --time-limit -1  # --time-limit
certify FedAvg --step-size 1 --output EMPTY  # --output
lyapunov FedAvg  # step_size
lyapunov FedAvg --step-size 1 --rho 2  # rho=2
lyapunov FedAvg --step-size 1 --rounds 2  # --rounds
lyapunov FedAvg --step-size 1 --noise  # n_clients
lyapunov FedAvg --step-size 1 --output EMPTY  # --output
check-certificate  # Missing argument
check-certificate --no-such-option FILE  # No such option
"""
ROWS = [tuple(row.split("  # ")) for row in TABLE.strip().splitlines()]
#: Through a real process: what Click's runner would hide.
IN_A_PROCESS = (
    "verfiy",
    "verify --timeout nan",
    "latex li2020 --output FILE/out.tex",
    "verify --path OWN --output FILE/out.json",
)

GOOD = """
@claim("OWN-1", kind=Kind.DEFINITION, scope=Scope.TEXT, statement="1+1=2", printed=dict(total=2),
       controls=[Control("total 3", dict(total=3))])
def own_1(total):
    return found(1 + 1 == total)
"""


@pytest.fixture
def words_of(own_claims: Callable[..., Path], tmp_path: Path) -> Callable[[str], list[str]]:
    """The words of a command line, with folders and files in the place of their signs."""

    def split(line: str) -> list[str]:
        file, empty = tmp_path / "file.txt", tmp_path / "empty"
        file.write_text("words")
        empty.mkdir()
        signs = {"OWN": str(own_claims(good=GOOD)), "FILE": str(file), "EMPTY": str(empty)}
        return [
            signs.get(word, word.replace("FILE/", f"{file}/") if word.startswith("FILE/") else word)
            for word in shlex.split(line)
        ]

    return split


def check(code: int | None, output: str, words: str) -> None:
    errors = [line for line in output.splitlines() if line.startswith("Error: ")]
    assert code == 2, (code, output)
    assert "Traceback" not in output and len(errors) == 1, output
    assert words in " ".join(output[output.index("Error: ") :].split()), output


@pytest.mark.parametrize(("line", "words"), ROWS)
def test_wrong_usage_is_one_line(line: str, words: str, words_of: Callable[[str], list[str]]) -> None:
    done = CliRunner().invoke(main, words_of(line))
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    check(done.exit_code, done.output, words)


@pytest.mark.parametrize(("line", "words"), [row for row in ROWS if row[0] in IN_A_PROCESS])
def test_in_a_process(line: str, words: str, words_of: Callable[[str], list[str]]) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "fltheory", *words_of(line)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    check(done.returncode, done.stderr, words)


def test_there_are_as_many_rows_as_were_asked_for() -> None:
    tables = sorted(Path(__file__).parent.glob("test_bad_inputs_*.py"))
    rows = [line for path in tables for line in path.read_text("utf-8").splitlines() if "  # " in line]
    assert len(tables) >= 5 and len(set(rows)) >= 400
