"""The gallery ``docs/figures.md``: ``python -m fltheory.plotting.gallery`` draws every figure small and writes its caption."""

from __future__ import annotations

import hashlib
import io
import tempfile
from pathlib import Path

from fltheory.evidence.places import results_folder, scripts_root
from fltheory.experiments.scripts import FIGURES, named_scripts, run_figure
from fltheory.files import written_whole

#: Pixels of a small picture, and colours that it has.
PIXELS, COLOURS = 620, 128
BEGIN, END = "<!-- gallery: begin -->", "<!-- gallery: end -->"


def digest(source: str) -> str:
    """The first digits of the SHA-256 of a results file."""
    return hashlib.sha256((results_folder() / source).read_bytes()).hexdigest()[:16]


def entry(caption: str, name: str) -> str:
    """A figure of the gallery: its caption, its picture and the digest of the results file that both are of."""
    title, _, rest = caption.partition("\n")
    source = rest.partition("- Data: `results/")[2].partition("`")[0]
    picture = f"![{title.strip('*')}](figures/{name}.png)"
    return f"### {name}\n\n{title}\n\n{picture}\n{rest}- Digest of the data: {digest(source)}\n"


def small(picture: Path) -> bytes:
    """A picture as a light PNG."""
    from PIL import Image

    image = Image.open(picture).convert("RGB")
    size = (PIXELS, round(image.height * PIXELS / image.width))
    buffer = io.BytesIO()
    image.resize(size, Image.Resampling.LANCZOS).quantize(COLOURS, method=Image.Quantize.FASTOCTREE).save(
        buffer, format="PNG", optimize=True
    )
    return buffer.getvalue()


def main(docs: Path | None = None) -> None:
    """Write the small pictures and the part of ``figures.md`` between its two marks."""
    target = docs or scripts_root() / "docs"
    entries = []
    with tempfile.TemporaryDirectory() as folder:
        for path in named_scripts(FIGURES).values():
            run_figure(path, output=Path(folder))
        for caption in sorted(Path(folder).glob("*.md")):
            entries.append(entry(caption.read_text(encoding="utf-8"), caption.stem))
            (target / "figures").mkdir(exist_ok=True)
            with written_whole(target / "figures" / f"{caption.stem}.png", binary=True) as file:
                file.write(small(caption.with_suffix(".png")))
    page = (target / "figures.md").read_text(encoding="utf-8")
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    with written_whole(target / "figures.md") as file:
        file.write(before + BEGIN + "\n\n" + "\n".join(entries) + "\n" + END + after)


if __name__ == "__main__":
    main()
