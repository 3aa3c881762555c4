"""Write the published JSON Schemas to `schemas/`. A test fails where they are not in step with the table of fields."""

from __future__ import annotations

from pathlib import Path

from recipediff.parse.schema.publish import schemas

FOLDER = Path(__file__).resolve().parent.parent / "schemas"


def main() -> None:
    """Write every schema, and say which."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in schemas().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(f"schemas/{name}")


if __name__ == "__main__":
    main()
