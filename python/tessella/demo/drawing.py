"""A text with its tokens told apart."""

from __future__ import annotations

import tessella

#: Backgrounds that tell neighbouring tokens apart, of the 256-colour palette, for white letters.
BACKGROUNDS = (24, 22, 54, 94, 60, 30)


def draw(tokenizer: tessella.Tokenizer, text: str, *, colour: bool) -> str:
    """The text, its tokens told apart by background, or by bars where there is no colour."""
    encoding = tokenizer.encode(text)
    drawn: list[str] = []
    end = 0
    for index, (start, stop) in enumerate(encoding.offsets):
        # Tokens of one character's bytes share its span: the character is drawn once.
        part = text[max(start, end) : stop]
        end = max(end, stop)
        if not part:
            continue
        if colour:
            shade = BACKGROUNDS[index % len(BACKGROUNDS)]
            lines = part.split("\n")
            drawn.append(
                "\n".join(f"\x1b[48;5;{shade}m\x1b[97m{line}\x1b[0m" if line else "" for line in lines)
            )
        else:
            drawn.append(part + "│")
    return "".join(drawn)
