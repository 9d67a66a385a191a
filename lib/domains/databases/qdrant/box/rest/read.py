"""Reads values of a request strictly: each function gives the value, or refuses it with the place where it stands."""

import json
import re

from .errors import invalid, malformed

DEEPEST = 96
LARGEST = 2**63 - 1
# Beyond it, a value is infinite as the 32-bit number that vectors are made of.
LARGEST_COORDINATE = 3.4028234e38

NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def parse(raw):
    """Parses a body. Numbers that are none, and nesting that could exhaust a stack, are refused."""

    def no_number(word):
        raise malformed(f"{word} is not a number of JSON")

    try:
        value = json.loads(raw, parse_constant=no_number)
    except RecursionError:
        raise malformed("recursion limit exceeded") from None
    except ValueError as error:
        raise malformed(str(error)[:200]) from None
    depth = deepest = 0
    for bracket in raw.translate(None, NOT_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    # Brackets in texts count too; only then is the value itself looked at.
    if deepest > DEEPEST and depth_of(value) > DEEPEST:
        raise malformed("recursion limit exceeded")
    return value


def depth_of(value):
    level, depth = [value], 0
    while level:
        depth += 1
        below = []
        for one in level:
            if isinstance(one, dict):
                below.extend(item for item in one.values() if isinstance(item, (dict, list)))
            elif isinstance(one, list):
                below.extend(item for item in one if isinstance(item, (dict, list)))
        level = below
    return depth


def kind(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"boolean `{str(value).lower()}`"
    if isinstance(value, int):
        return f"integer `{value}`"
    if isinstance(value, float):
        return f"floating point `{value}`"
    if isinstance(value, str):
        return f"string {json.dumps(value[:40])}"
    return "sequence" if isinstance(value, list) else "map"


def mapping(value, where="body"):
    if not isinstance(value, dict):
        raise malformed(f"{where}: invalid type: {kind(value)}, expected a map")
    return value


def listing(value, where):
    if not isinstance(value, list):
        raise malformed(f"{where}: invalid type: {kind(value)}, expected a sequence")
    return value


def required(body, key, where=None):
    found = mapping(body, where or "body").get(key)
    if found is None:
        raise malformed(f"missing field `{key}`")
    return found


def text(value, where, longest=65_536):
    if not isinstance(value, str):
        raise malformed(f"{where}: invalid type: {kind(value)}, expected a string")
    if len(value) > longest:
        raise invalid(where, f'"{value[:20]}…"', f"must be at most {longest} characters")
    return value


def flag(value, where, preset=None):
    if value is None:
        return preset
    if not isinstance(value, bool):
        raise malformed(f"{where}: invalid type: {kind(value)}, expected a boolean")
    return value


def integer(value, where, least=0, most=LARGEST, preset=None):
    if value is None:
        return preset
    if isinstance(value, bool) or not isinstance(value, int):
        raise malformed(f"{where}: invalid type: {kind(value)}, expected an integer")
    if value < 0 <= least or value > LARGEST:
        raise malformed(f"{where}: invalid value: integer `{str(value)[:24]}`, expected an unsigned integer")
    if value < least or value > most:
        rule = f"must be {least} or larger" if most == LARGEST else f"must be from {least} to {most}"
        raise invalid(where, value, rule)
    return value


def number(value, where, least=None, most=None, preset=None):
    if value is None:
        return preset
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise malformed(f"{where}: invalid type: {kind(value)}, expected a number")
    if not -1.7e308 < value < 1.7e308:
        raise malformed(f"{where}: number out of range")
    if (least is not None and value < least) or (most is not None and value > most):
        raise invalid(where, value, f"must be from {least} to {most}" if most is not None else f"must be {least} or larger")
    return float(value)


def words(members):
    """The variants of an enumeration of the core by the words of the API."""
    return {
        spelling: getattr(members, name)
        for name in dir(members)
        if not name.startswith("_")
        for spelling in (name, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    }


KNOWN_WORDS = {}


def variant(members, value, where, preset=None):
    if value is None:
        return preset
    known = KNOWN_WORDS.get(members)
    if known is None:
        known = KNOWN_WORDS[members] = words(members)
    found = known.get(value) if isinstance(value, str) else None
    if found is None:
        shown = value[:40] if isinstance(value, str) else kind(value)
        raise malformed(f"{where}: unknown variant `{shown}`, expected one of {', '.join(sorted(k for k in known))}")
    return found


def coordinates(value, where):
    """A dense vector: numbers that are finite as 32-bit numbers."""
    try:
        fits = not value or (max(value) <= LARGEST_COORDINATE and min(value) >= -LARGEST_COORDINATE)
        if fits and bool not in set(map(type, value)):
            return value
    except TypeError:
        pass
    for one in value:
        number(one, where)
        if not -LARGEST_COORDINATE <= one <= LARGEST_COORDINATE:
            raise malformed(f"{where}: number out of range")
    raise malformed(f"{where}: expected numbers")


def only_path(value):
    """A key of a payload: what the core would take for several paths, or for none, is refused by it."""
    found = text(value, "key", 1024)
    if found == "":
        raise malformed("key: a path has at least one character")
    return found

