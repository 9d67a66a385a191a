"""Queries: what is near, alike, in order or at random, in one go or in stages."""

import qdrant_edge as core

from .errors import Refusal, malformed, missing, wrong
from .filters import condition, condition_filter, place
from .read import flag, integer, listing, mapping, number, only_path, required, text, variant
from .vectors import one_vector, point_id, shown_id, shown_vector

MOST_STAGES = 64
# What one answer may hold: a page of it is built in memory.
MOST_POINTS = 100_000


def limit_of(value, where="limit", preset=10):
    return integer(value, where, 1, preset=preset)


def payload_wish(value, preset=False):
    if value is None:
        return preset
    if isinstance(value, dict):
        for name, make in (("include", core.PayloadSelector.Include), ("exclude", core.PayloadSelector.Exclude)):
            if name in value:
                return make(keys=[only_path(one) for one in listing(value[name], name)])
        raise malformed("with_payload: expected include or exclude")
    if isinstance(value, list):
        return [only_path(one) for one in value]
    return flag(value, "with_payload")


def vector_wish(body):
    value = body.get("with_vector")
    if value is None:
        value = body.get("with_vectors")
    if value is None:
        return False
    if isinstance(value, list):
        return [text(one, "with_vector", 255) for one in value]
    return flag(value, "with_vector")


def search_params(value):
    if value is None:
        return None
    value = mapping(value, "params")
    known = {}
    quantized = value.get("quantization")
    if quantized is not None:
        quantized = mapping(quantized, "params.quantization")
        known["quantization"] = core.QuantizationSearchParams(
            ignore=flag(quantized.get("ignore"), "params.quantization.ignore", False),
            rescore=flag(quantized.get("rescore"), "params.quantization.rescore"),
            oversampling=number(quantized.get("oversampling"), "params.quantization.oversampling", 1.0, 1000.0),
        )
    acorn = value.get("acorn")
    if acorn is not None:
        acorn = mapping(acorn, "params.acorn")
        known["acorn"] = core.AcornSearchParams(
            enable=flag(acorn.get("enable"), "params.acorn.enable", False),
            max_selectivity=number(acorn.get("max_selectivity"), "params.acorn.max_selectivity", 0.0, 1.0),
        )
    idf = value.get("idf")
    if idf is not None and hasattr(core, "IdfParams"):
        corpus = mapping(idf, "params.idf").get("corpus") if isinstance(idf, dict) else None
        known["idf"] = core.IdfParams(corpus=condition_filter(corpus))
    return core.SearchParams(
        hnsw_ef=integer(value.get("hnsw_ef"), "params.hnsw_ef", 1, 100_000),
        exact=flag(value.get("exact"), "params.exact", False),
        indexed_only=flag(value.get("indexed_only"), "params.indexed_only", False),
        **known,
    )


class Examples:
    """Turns examples of a query into vectors: a vector is one, an id stands for the vector of its point."""

    def __init__(self, collection, using, lookup, find_collection):
        self.collection = collection
        self.using = using
        self.used = set()
        self.source, self.name = collection, using
        if lookup is not None:
            lookup = mapping(lookup, "lookup_from")
            self.source = find_collection(text(required(lookup, "collection", "lookup_from"), "lookup_from.collection"))
            self.name = lookup.get("vector") or using

    def vector(self, value):
        if isinstance(value, (int, str)) and not isinstance(value, bool):
            return self.of_point(value)
        found = one_vector(value, is_query=True)
        self.collection.shape.check_name(self.using or "")
        return found

    def of_point(self, value):
        wanted = point_id(value)
        found = self.source.shard.retrieve([wanted], False, True)
        if not found:
            raise missing(f"No point with id {value} found")
        vectors = found[0].vector
        vector = vectors.get(self.name or "") if isinstance(vectors, dict) else (None if self.name else vectors)
        if vector is None:
            self.source.shape.check_name(self.name or "")
            raise missing(f"No vector {self.name or ''} of the point with id {value} found")
        if self.source is self.collection:
            self.used.add(wanted)
        return vector

    def vectors(self, value, where):
        if value is None:
            return []
        return [self.vector(one) for one in listing(value, where)]

    def pairs(self, value):
        value = value if isinstance(value, list) else [] if value is None else [value]
        return [
            core.ContextPair(
                positive=self.vector(required(one, "positive", "context")),
                negative=self.vector(required(one, "negative", "context")),
            )
            for one in value
        ]

    def others(self, wanted):
        """The examples themselves are no answer."""
        if not self.used:
            return wanted
        return core.Filter(must=[wanted] if wanted is not None else None, must_not=[core.HasIdCondition(point_ids=self.used)])


def scoring(examples, value):
    """What a query scores points by."""
    using = examples.using
    if not isinstance(value, dict) or "indices" in value or ("text" in value and "model" in value):
        return core.Query.Nearest(examples.vector(value), using)
    if "nearest" in value:
        near = examples.vector(required(value, "nearest"))
        if value.get("mmr") is None:
            return core.Query.Nearest(near, using)
        wish = mapping(value["mmr"], "mmr")
        diversity = number(wish.get("diversity"), "mmr.diversity", 0.0, 1.0, preset=0.5)
        candidates = integer(wish.get("candidates_limit"), "mmr.candidates_limit", 1, 16_384, preset=100)
        return core.Mmr(vector=near, lambda_=1 - diversity, candidates_limit=candidates, using=using)
    if "recommend" in value:
        return recommendation(examples, mapping(value["recommend"], "recommend"))
    if "discover" in value:
        wish = mapping(value["discover"], "discover")
        target = examples.vector(required(wish, "target", "discover"))
        return core.Query.Discover(core.DiscoverQuery(target=target, pairs=examples.pairs(wish.get("context"))), using)
    if "context" in value:
        return core.Query.Context(core.ContextQuery(pairs=examples.pairs(value["context"])), using)
    if "order_by" in value:
        return order(value["order_by"])
    if "fusion" in value:
        kinds = {"rrf": lambda: core.Fusion.Rrf(2), "dbsf": core.Fusion.Dbsf}
        if value["fusion"] not in ("rrf", "dbsf"):
            raise malformed(f"unknown variant `{str(value['fusion'])[:40]}`, expected `rrf` or `dbsf`")
        return kinds[value["fusion"]]()
    if "rrf" in value:
        wish = mapping(value["rrf"], "rrf")
        weights = wish.get("weights")
        if weights is not None:
            weights = [number(one, "rrf.weights", 0.0, 1e9) for one in listing(weights, "rrf.weights")]
        return core.Fusion.Rrf(integer(wish.get("k"), "rrf.k", 1, 2**31, preset=2), weights)
    if "sample" in value:
        return variant(core.Sample, value["sample"], "sample")
    if "formula" in value:
        defaults = mapping(value.get("defaults") or {}, "defaults")
        return core.Formula(expression(value["formula"]), defaults)
    if "relevance_feedback" in value:
        return feedback(examples, mapping(value["relevance_feedback"], "relevance_feedback"))
    raise malformed("data did not match any variant of untagged enum QueryInterface")


def feedback(examples, wish):
    strategy = mapping(required(required(wish, "strategy"), "naive", "strategy"), "strategy.naive")
    items = [
        core.FeedbackItem(examples.vector(required(one, "example", "feedback")), number(required(one, "score"), "score"))
        for one in listing(required(wish, "feedback"), "feedback")
    ]
    weights = {key: number(required(strategy, key), key) for key in ("a", "b", "c")}
    query = core.FeedbackNaiveQuery(
        target=examples.vector(required(wish, "target")), feedback=items, strategy=core.NaiveFeedbackStrategy(**weights)
    )
    return core.Query.FeedbackNaive(query, examples.using)


def recommendation(examples, wish):
    likes = examples.vectors(wish.get("positive"), "positive")
    dislikes = examples.vectors(wish.get("negative"), "negative")
    strategy = wish.get("strategy") or "average_vector"
    if strategy == "average_vector":
        if not likes:
            raise Refusal(422, "Validation error in JSON body: [positive: At least one positive vector ID required with this strategy]")
        return core.Query.Nearest(average(likes, dislikes), examples.using)
    if not likes and not dislikes:
        raise Refusal(422, "Validation error in JSON body: [positive: At least one positive or negative vector ID required with this strategy]")
    both = core.RecommendQuery(positives=likes, negatives=dislikes)
    if strategy == "best_score":
        return core.Query.RecommendBestScore(both, examples.using)
    if strategy == "sum_scores":
        return core.Query.RecommendSumScores(both, examples.using)
    raise malformed(f"unknown variant `{str(strategy)[:40]}`, expected average_vector, best_score or sum_scores")


def average(likes, dislikes):
    """The middle of what is liked, and as far again from the middle of what is not."""
    if all(isinstance(one, core.SparseVector) for one in [*likes, *dislikes]):
        near = sparse_middle(likes)
        far = sparse_middle(dislikes)
        indices = sorted({*near, *far})
        values = [2 * near.get(i, 0.0) - far.get(i, 0.0) if dislikes else near[i] for i in indices]
        return core.SparseVector(indices=indices, values=values)
    rows = [*likes, *dislikes]
    if any(isinstance(one, core.SparseVector) for one in rows):
        raise wrong("Examples are dense or sparse, not both")
    if any(one and isinstance(one[0], list) for one in rows):
        # A point of several vectors is liked for each of them.
        return [row for one in likes for row in (one if isinstance(one[0], list) else [one])]
    if len({len(one) for one in rows}) > 1:
        raise wrong("Vectors of the examples have different dimensions")
    near = [sum(column) / len(likes) for column in zip(*likes)]
    if not dislikes:
        return near
    far = [sum(column) / len(dislikes) for column in zip(*dislikes)]
    return [2 * one - other for one, other in zip(near, far)]


def sparse_middle(vectors):
    middle = {}
    for vector in vectors:
        for index, value in zip(vector.indices, vector.values):
            middle[index] = middle.get(index, 0.0) + value / len(vectors)
    return middle


def order(value):
    if isinstance(value, str):
        return core.OrderBy(key=only_path(value))
    value = mapping(value, "order_by")
    start = value.get("start_from")
    if start is not None and not isinstance(start, str):
        number(start, "start_from")
        if isinstance(start, int) and not -(2**63) <= start < 2**63:
            raise malformed("start_from: number out of range")
    return core.OrderBy(
        key=only_path(required(value, "key", "order_by")),
        direction=variant(core.Direction, value.get("direction"), "direction"),
        start_from=start,
    )


LISTS = {"sum": "Sum", "mult": "Mult", "max": "Max", "min": "Min"}
ONES = {"neg": "Neg", "abs": "Abs", "sqrt": "Sqrt", "exp": "Exp", "log10": "Log10", "ln": "Ln", "acosh": "Acosh"}


def expression(value):
    make = core.Expression
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return make.Constant(number(value, "formula"))
    if isinstance(value, str):
        return make.Variable(text(value, "formula", 1024))
    value = mapping(value, "formula")
    name, part = next(iter(value.items())) if len(value) == 1 else (None, None)
    if name in LISTS and hasattr(make, LISTS[name]):
        return getattr(make, LISTS[name])([expression(one) for one in listing(part, name)])
    if name in ONES:
        return getattr(make, ONES[name])(expression(part))
    if name == "div":
        preset = number(mapping(part, "div").get("by_zero_default"), "by_zero_default")
        return make.Div(expression(required(part, "left")), expression(required(part, "right")), preset)
    if name == "pow":
        return make.Pow(expression(required(part, "base")), expression(required(part, "exponent")))
    if name == "geo_distance":
        return make.GeoDistance(place(required(part, "origin")), only_path(required(part, "to")))
    if name == "datetime":
        return make.Datetime(text(part, "datetime", 64))
    if name == "datetime_key":
        return make.DatetimeKey(only_path(part))
    if name in ("lin_decay", "exp_decay", "gauss_decay"):
        target = mapping(part, name).get("target")
        return make.Decay(
            variant(core.DecayKind, name[: -len("_decay")], name),
            expression(required(part, "x")),
            None if target is None else expression(target),
            number(part.get("midpoint"), "midpoint"),
            number(part.get("scale"), "scale"),
        )
    return make.Condition(condition(value))


class Budget:
    """Stages of one query together: each costs a search."""

    def __init__(self):
        self.left = MOST_STAGES

    def take(self):
        self.left -= 1
        if self.left < 0:
            raise wrong(f"A query has at most {MOST_STAGES} stages")


def stages(collection, value, find_collection, budget):
    value = value if isinstance(value, list) else [] if value is None else [value]
    return [stage(collection, mapping(one, "prefetch"), find_collection, budget) for one in value]


def using_of(body):
    name = body.get("using")
    return None if name is None else text(name, "using", 255)


def stage(collection, body, find_collection, budget):
    budget.take()
    examples = Examples(collection, using_of(body), body.get("lookup_from"), find_collection)
    query = None if body.get("query") is None else scoring(examples, body["query"])
    return core.Prefetch(
        limit=collection.at_most(limit_of(body.get("limit"), "prefetch.limit")),
        query=query,
        prefetches=stages(collection, body.get("prefetch"), find_collection, budget),
        params=search_params(body.get("params")),
        filter=examples.others(condition_filter(body.get("filter"))),
        score_threshold=number(body.get("score_threshold"), "score_threshold"),
    )


def request_of(collection, body, find_collection, limit=None, wishes=None):
    """One query for the core, with the examples that it left out."""
    body = mapping(body)
    examples = Examples(collection, using_of(body), body.get("lookup_from"), find_collection)
    query = None if body.get("query") is None else scoring(examples, body["query"])
    prefetches = stages(collection, body.get("prefetch"), find_collection, Budget())
    if isinstance(query, type(core.Fusion.Rrf(2))) and not prefetches:
        raise wrong("cannot apply Fusion without prefetches")
    offset = integer(body.get("offset"), "offset", preset=0)
    with_payload, with_vector = wishes or (payload_wish(body.get("with_payload")), vector_wish(body))
    return core.QueryRequest(
        limit=collection.at_most(limit or limit_of(body.get("limit"))),
        offset=0 if limit else collection.at_most(offset),
        query=query,
        prefetches=prefetches or None,
        with_vector=with_vector,
        with_payload=with_payload,
        filter=examples.others(condition_filter(body.get("filter"))),
        score_threshold=number(body.get("score_threshold"), "score_threshold"),
        params=search_params(body.get("params")),
    )


def query_points(collection, body, find_collection):
    request = request_of(collection, body, find_collection)
    return [scored(one) for one in collection.shard.query(request)]


def query_batch(collection, searches, find_collection):
    requests = [request_of(collection, one, find_collection) for one in searches]
    if not requests:
        return []
    if hasattr(core, "QueryBatchRequest"):
        answers = collection.shard.query_batch(core.QueryBatchRequest(requests))
    else:
        answers = [collection.shard.query(one) for one in requests]
    return [{"points": [scored(one) for one in answer]} for answer in answers]


def record(found):
    shown = {"id": shown_id(found.id)}
    if found.payload is not None:
        shown["payload"] = found.payload
    if found.vector is not None:
        shown["vector"] = shown_vector(found.vector)
    if getattr(found, "order_value", None) is not None:
        shown["order_value"] = found.order_value
    return shown


def scored(found):
    return {**record(found), "version": found.version, "score": found.score}


def values_at(payload, path):
    """The values of a payload at a path such as `a.b` or `a[].b`."""
    found = [payload]
    for part in path.split("."):
        name = part.strip('"').removesuffix("[]")
        found = [one[name] for one in found if isinstance(one, dict) and name in one]
        found = [item for one in found for item in (one if isinstance(one, list) else [one])]
    return found


def group_points(collection, body, find_collection):
    """The best points of each value of a field: the query is repeated with a larger limit until the groups are full."""
    key = only_path(required(body, "group_by"))
    groups = integer(body.get("limit"), "limit", 1, 10_000, preset=10)
    size = integer(body.get("group_size"), "group_size", 1, 10_000, preset=3)
    wishes = (payload_wish(body.get("with_payload")), vector_wish(body))
    lookup = body.get("with_lookup")
    total = max(1, collection.shard.info().points_count)
    limit = min(total, max(200, groups * size * 4), MOST_POINTS)
    while True:
        request = request_of(collection, body, find_collection, limit=limit, wishes=([key], False))
        found = collection.shard.query(request)
        filled = into_groups(found, key, groups, size)
        is_full = len(filled) == groups and all(len(hits) == size for hits in filled.values())
        if is_full or len(found) < limit or limit >= min(total, MOST_POINTS):
            break
        limit = min(total, limit * 8, MOST_POINTS)
    ids = list({hit.id for hits in filled.values() for hit in hits})
    known = {one.id: one for one in collection.shard.retrieve(ids, *wishes)} if ids else {}
    answer = [{"id": value, "hits": [grouped(hit, known.get(hit.id)) for hit in hits]} for value, hits in filled.items()]
    if lookup is not None:
        look_up(answer, {"collection": lookup} if isinstance(lookup, str) else mapping(lookup, "with_lookup"), find_collection)
    return {"groups": answer}


def into_groups(found, key, groups, size):
    filled = {}
    for hit in found:
        for value in values_at(hit.payload or {}, key):
            if isinstance(value, bool) or not isinstance(value, (str, int)):
                continue
            hits = filled.get(value)
            if hits is None:
                if len(filled) >= groups:
                    continue
                hits = filled[value] = []
            if len(hits) < size and hit not in hits:
                hits.append(hit)
    return filled


def grouped(hit, known):
    shown = {"id": shown_id(hit.id), "version": hit.version, "score": hit.score}
    if known is not None and known.payload is not None:
        shown["payload"] = known.payload
    if known is not None and known.vector is not None:
        shown["vector"] = shown_vector(known.vector)
    return shown


def look_up(groups, wish, find_collection):
    source = find_collection(text(required(wish, "collection", "with_lookup"), "with_lookup.collection"))
    for group in groups:
        try:
            wanted = point_id(group["id"])
        except Refusal:
            continue
        found = source.shard.retrieve([wanted], payload_wish(wish.get("with_payload"), True), vector_wish(wish))
        if found:
            group["lookup"] = record(found[0])


def scroll(collection, body):
    ordering = body.get("order_by")
    offset = body.get("offset")
    limit = limit_of(body.get("limit"))
    points, following = collection.shard.scroll(
        core.ScrollRequest(
            offset=None if offset is None else point_id(offset),
            limit=collection.at_most(limit),
            filter=condition_filter(body.get("filter")),
            with_payload=payload_wish(body.get("with_payload"), True),
            with_vector=vector_wish(body),
            order_by=None if ordering is None else order(ordering),
        )
    )
    return {"points": [record(one) for one in points], "next_page_offset": None if following is None else shown_id(following)}


def count(collection, body):
    exact = flag(body.get("exact"), "exact", True)
    return {"count": collection.shard.count(core.CountRequest(exact=exact, filter=condition_filter(body.get("filter"))))}


def facet(collection, body):
    answer = collection.shard.facet(
        core.FacetRequest(
            key=only_path(required(body, "key")),
            limit=collection.at_most(integer(body.get("limit"), "limit", 1, preset=10)),
            exact=flag(body.get("exact"), "exact", False),
            filter=condition_filter(body.get("filter")),
        )
    )
    return {"hits": [{"value": one.value if isinstance(one.value, (bool, int)) else str(one.value), "count": one.count} for one in answer.hits]}


def retrieve(collection, body):
    wanted = [point_id(one) for one in listing(required(body, "ids"), "ids")]
    found = collection.shard.retrieve(wanted, payload_wish(body.get("with_payload"), True), vector_wish(body))
    known = {one.id: record(one) for one in found}
    return [known[one] for one in dict.fromkeys(wanted) if one in known]


def distances(collection, body, as_offsets):
    """How near points of a sample are to each other."""
    sample = integer(body.get("sample"), "sample", 2, 10_000, preset=10)
    limit = integer(body.get("limit"), "limit", 1, 1_000, preset=3)
    using = using_of(body)
    collection.shape.check_name(using or "")
    wanted = core.Filter(must=[core.HasVectorCondition(vector=using or "")])
    asked = condition_filter(body.get("filter"))
    drawn = collection.shard.query(
        core.QueryRequest(
            limit=collection.at_most(sample),
            query=core.Sample.Random,
            filter=wanted if asked is None else core.Filter(must=[asked, wanted]),
            with_vector=[using] if using else True,
            with_payload=False,
        )
    )
    vectors = {one.id: one.vector.get(using) if isinstance(one.vector, dict) else one.vector for one in drawn}
    ids = sorted(vectors, key=lambda one: (not isinstance(one, int), one))
    everything = set(ids)
    pairs = []
    for one in ids:
        others = core.Filter(must=[core.HasIdCondition(point_ids=everything - {one})])
        near = core.QueryRequest(limit=limit, query=core.Query.Nearest(vectors[one], using), filter=others)
        pairs.extend((one, hit.id, hit.score) for hit in collection.shard.query(near))
    if not as_offsets:
        return {"pairs": [{"a": shown_id(one), "b": shown_id(other), "score": score} for one, other, score in pairs]}
    place_of = {one: index for index, one in enumerate(ids)}
    return {
        "offsets_row": [place_of[one] for one, _, _ in pairs],
        "offsets_col": [place_of[other] for _, other, _ in pairs],
        "scores": [score for _, _, score in pairs],
        "ids": [shown_id(one) for one in ids],
    }

