"""Bytes of a Markdown file to lines, within bounds, with the place of what cannot be read."""

from __future__ import annotations

from recipediff.core.place import Place, Problem, Unreadable

MAX_BYTES = 16 * 1024 * 1024


def read_text(data: bytes, file: str) -> str:
    """`data` as text: UTF-8, no byte order mark, every line ending a line feed (as CommonMark has them).

    Raises `Unreadable` for a file that is too large or is not UTF-8.
    """
    if len(data) > MAX_BYTES:
        hint = "split it, or leave it out of `records.files`"
        message = f"the file has {len(data):,} bytes; more than {MAX_BYTES:,} are not read"
        raise Unreadable(Problem(message, Place(file=file), hint))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(_not_utf8(data, error.start, file)) from None
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # CommonMark 0.31, 2.3: a NUL is replaced.
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    return text


def _not_utf8(data: bytes, offset: int, file: str) -> Problem:
    before = data[:offset].removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8")) + 1
    message = f"byte 0x{data[offset]:02x} is not UTF-8 text"
    return Problem(message, Place(file=file, line=line, column=column), "save the file as UTF-8")
