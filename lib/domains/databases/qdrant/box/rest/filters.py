"""Conditions on payloads and ids."""

import qdrant_edge as core

from .errors import invalid, malformed
from .read import integer, kind, listing, mapping, number, only_path, required, text
from .vectors import point_id

CLAUSES = ("must", "should", "must_not", "min_should")
RANGES = ("gt", "gte", "lt", "lte")


def condition_filter(value, where="filter"):
    """A filter of a request for the core; None for one that is absent or empty."""
    if value is None:
        return None
    value = mapping(value, where)
    for key in value:
        if key not in CLAUSES:
            raise malformed(f"{where}: unknown field `{key[:40]}`, expected one of {', '.join(CLAUSES)}")
    least = value.get("min_should")
    return core.Filter(
        must=conditions(value.get("must"), "must"),
        should=conditions(value.get("should"), "should"),
        must_not=conditions(value.get("must_not"), "must_not"),
        min_should=None
        if least is None
        else core.MinShould(
            conditions=conditions(required(least, "conditions", "min_should"), "conditions") or [],
            min_count=integer(required(least, "min_count", "min_should"), "min_count"),
        ),
    )


def conditions(value, where):
    if value is None:
        return None
    return [condition(one) for one in (value if isinstance(value, list) else [mapping(value, where)])]


def condition(value):
    value = mapping(value, "condition")
    if any(clause in value for clause in CLAUSES):
        return condition_filter(value)
    for name, make in (("is_empty", core.IsEmptyCondition), ("is_null", core.IsNullCondition)):
        if isinstance(value.get(name), dict):
            return make(key=only_path(value[name].get("key")))
    if "has_id" in value:
        return core.HasIdCondition(point_ids={point_id(one) for one in listing(value["has_id"], "has_id")})
    if "has_vector" in value:
        return core.HasVectorCondition(vector=text(value["has_vector"], "has_vector", 255))
    if "nested" in value:
        nested = mapping(value["nested"], "nested")
        within = condition_filter(mapping(required(nested, "filter"), "nested.filter"))
        return core.NestedCondition(key=only_path(nested.get("key")), filter=within)
    if "slice" in value and hasattr(core, "SliceCondition"):
        part = mapping(value["slice"], "slice")
        total = integer(required(part, "total"), "slice.total", 1, 2**32 - 1)
        index = integer(required(part, "index"), "slice.index", 0, 2**32 - 1)
        if index >= total:
            raise invalid("slice.index", index, f"must be less than total {total}")
        return core.SliceCondition(total, index)
    if "key" in value:
        return field(value)
    raise malformed("data did not match any variant of untagged enum Condition")


def field(value):
    known = {}
    if value.get("match") is not None:
        known["match"] = match(mapping(value["match"], "match"))
    if value.get("range") is not None:
        known["range"] = bounds(mapping(value["range"], "range"))
    box = value.get("geo_bounding_box")
    if box is not None:
        corners = {name: place(required(box, name, "geo_bounding_box")) for name in ("top_left", "bottom_right")}
        known["geo_bounding_box"] = core.GeoBoundingBox(**corners)
    circle = value.get("geo_radius")
    if circle is not None:
        radius = number(required(circle, "radius", "geo_radius"), "radius", 0)
        known["geo_radius"] = core.GeoRadius(center=place(required(circle, "center")), radius=radius)
    polygon = value.get("geo_polygon")
    if polygon is not None:
        holes = listing(polygon.get("interiors") or [], "interiors") if isinstance(polygon, dict) else []
        known["geo_polygon"] = core.GeoPolygon(
            exterior=ring(required(polygon, "exterior", "geo_polygon"), "exterior"),
            interiors=[ring(one, "interiors") for one in holes],
        )
    if value.get("values_count") is not None:
        count = mapping(value["values_count"], "values_count")
        known["values_count"] = core.ValuesCount(**{key: integer(count.get(key), f"values_count.{key}") for key in RANGES})
    for key in ("is_empty", "is_null"):
        if isinstance(value.get(key), bool):
            known[key] = value[key]
    if not known:
        raise malformed(f"At least one field condition must be specified for `{str(value['key'])[:40]}`")
    return core.FieldCondition(key=only_path(value["key"]), **known)


def match(value):
    texts = {
        "text": core.MatchText,
        "text_any": getattr(core, "MatchTextAny", None),
        "phrase": getattr(core, "MatchPhrase", None),
        "prefix": getattr(core, "MatchPrefix", None),
        "substring": getattr(core, "MatchSubstring", None),
    }
    if "value" in value:
        found = value["value"]
        if not isinstance(found, (str, int)):
            raise malformed(f"match.value: invalid type: {kind(found)}, expected a string, an integer or a boolean")
        if isinstance(found, int):
            signed(found, "match.value")
        return core.MatchValue(found)
    for name, make in texts.items():
        if make is not None and name in value:
            return make(text(value[name], f"match.{name}"))
    for name, make in (("any", core.MatchAny), ("except", core.MatchExcept)):
        if name in value:
            return make(alike(value[name], f"match.{name}"))
    raise malformed("data did not match any variant of untagged enum Match")


def signed(value, where):
    if isinstance(value, bool):
        return value
    if not isinstance(value, int) or not -(2**63) <= value < 2**63:
        raise malformed(f"{where}: expected an integer of 64 bits")
    return value


def alike(value, where):
    found = listing(value, where)
    if all(isinstance(one, str) for one in found):
        return found
    if all(isinstance(one, int) and not isinstance(one, bool) for one in found):
        return [signed(one, where) for one in found]
    raise malformed(f"{where}: expected strings or integers")


def bounds(value):
    given = {key: value[key] for key in RANGES if value.get(key) is not None}
    if any(isinstance(one, str) for one in given.values()):
        return core.RangeDateTime(**{key: text(one, f"range.{key}", 64) for key, one in given.items()})
    return core.RangeFloat(**{key: number(one, f"range.{key}") for key, one in given.items()})


def place(value):
    value = mapping(value, "geo point")
    lon = number(required(value, "lon"), "lon", -180.0, 180.0)
    lat = number(required(value, "lat"), "lat", -90.0, 90.0)
    return core.GeoPoint(lon=lon, lat=lat)


def ring(value, where):
    points = [place(one) for one in listing(required(value, "points", where), f"{where}.points")]
    if len(points) < 4:
        raise malformed(f"{where}: polygon ring must have at least 4 points")
    if (points[0].lon, points[0].lat) != (points[-1].lon, points[-1].lat):
        raise malformed(f"{where}: the first and the last point of a polygon ring must be the same")
    return points
