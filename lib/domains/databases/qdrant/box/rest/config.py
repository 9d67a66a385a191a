"""What a collection is made of: reads it from a request, and gives it to the core."""

import qdrant_edge as core

from .errors import invalid, malformed, wrong
from .read import flag, integer, listing, mapping, number, required, text, variant

MOST_DIMENSIONS = 65_536
HNSW = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10_000, "max_indexing_threads": 0, "on_disk": False}
OPTIMIZERS = {
    "deleted_threshold": 0.2,
    "vacuum_min_vector_number": 1000,
    "default_segment_number": 0,
    "max_segment_size": None,
    "memmap_threshold": None,
    "indexing_threshold": 10_000,
    "flush_interval_sec": 5,
    "max_optimization_threads": None,
}
WAL = {"wal_capacity_mb": 32, "wal_segments_ahead": 0, "wal_retain_closed": 1}


def memory(value, where="memory"):
    if value is not None and not hasattr(core, "Memory"):
        raise wrong(f"{where}: this version of Qdrant does not know it")
    return None if value is None else variant(core.Memory, value, where)


def given(**known):
    """Without what is not given: what the core of an older version does not know is then no trouble."""
    return {name: value for name, value in known.items() if value is not None}


def quantization(value, where="quantization_config"):
    if value is None or value == "Disabled":
        return None
    value = mapping(value, where)
    if "scalar" in value:
        part = mapping(value["scalar"], f"{where}.scalar")
        return core.ScalarQuantizationConfig(
            type=variant(core.ScalarType, required(part, "type"), f"{where}.scalar.type"),
            **given(
                quantile=number(part.get("quantile"), f"{where}.scalar.quantile", 0.5, 1.0),
                always_ram=flag(part.get("always_ram"), f"{where}.scalar.always_ram"),
                memory=memory(part.get("memory")),
            ),
        )
    if "product" in value:
        part = mapping(value["product"], f"{where}.product")
        return core.ProductQuantizationConfig(
            compression=variant(core.CompressionRatio, required(part, "compression"), f"{where}.product.compression"),
            **given(always_ram=flag(part.get("always_ram"), f"{where}.product.always_ram"), memory=memory(part.get("memory"))),
        )
    if "binary" in value:
        part = mapping(value["binary"], f"{where}.binary")
        asked = part.get("query_encoding")
        return core.BinaryQuantizationConfig(
            **given(
                always_ram=flag(part.get("always_ram"), f"{where}.binary.always_ram"),
                encoding=variant(core.BinaryQuantizationEncoding, part.get("encoding"), f"{where}.binary.encoding"),
                query_encoding=variant(core.BinaryQuantizationQueryEncoding, asked, f"{where}.binary.query_encoding"),
                memory=memory(part.get("memory")),
            )
        )
    if "turbo" in value and hasattr(core, "TurboQuantQuantizationConfig"):
        part = mapping(value["turbo"], f"{where}.turbo")
        return core.TurboQuantQuantizationConfig(
            **given(
                always_ram=flag(part.get("always_ram"), f"{where}.turbo.always_ram"),
                bits=variant(core.TurboQuantBitSize, part.get("bits"), f"{where}.turbo.bits"),
                memory=memory(part.get("memory")),
            )
        )
    raise malformed(f"{where}: expected one of scalar, product, binary, turbo")


def hnsw(value, where="hnsw_config", base=None):
    """`base`: the settings of the collection, where those of one vector say less."""
    if value is None:
        return None
    value = {**HNSW, **(base or {}), **{k: v for k, v in mapping(value, where).items() if v is not None}}
    return core.HnswIndexConfig(
        m=integer(value["m"], f"{where}.m", 0, 10_000),
        ef_construct=integer(value["ef_construct"], f"{where}.ef_construct", 4, 100_000),
        full_scan_threshold=integer(value["full_scan_threshold"], f"{where}.full_scan_threshold", 0),
        max_indexing_threads=integer(value["max_indexing_threads"], f"{where}.max_indexing_threads", 0, 256),
        **given(
            on_disk=flag(value.get("on_disk"), f"{where}.on_disk"),
            payload_m=integer(value.get("payload_m"), f"{where}.payload_m", 0, 10_000),
            inline_storage=flag(value.get("inline_storage"), f"{where}.inline_storage"),
            memory=memory(value.get("memory")),
        ),
    )


def multivector(value):
    if value is None:
        return None
    comparator = required(value, "comparator", "multivector_config")
    return core.MultiVectorConfig(comparator=variant(core.MultiVectorComparator, comparator, "multivector_config.comparator"))


def dense(value, where, base=None):
    value = mapping(value, where)
    return core.EdgeVectorParams(
        size=integer(required(value, "size"), f"{where}.size", 1, MOST_DIMENSIONS),
        distance=variant(core.Distance, required(value, "distance"), f"{where}.distance"),
        **given(
            on_disk=flag(value.get("on_disk"), f"{where}.on_disk"),
            multivector_config=multivector(value.get("multivector_config")),
            datatype=variant(core.VectorStorageDatatype, value.get("datatype"), f"{where}.datatype"),
            quantization_config=quantization(value.get("quantization_config"), f"{where}.quantization_config"),
            hnsw_config=hnsw(value.get("hnsw_config"), f"{where}.hnsw_config", base),
            memory=memory(value.get("memory")),
        ),
    )


def modifier(value, where):
    return None if value == "none" else variant(core.Modifier, value, where)


def sparse(value, where):
    value = mapping(value or {}, where)
    index = mapping(value.get("index") or {}, f"{where}.index")
    return core.EdgeSparseVectorParams(
        **given(
            full_scan_threshold=integer(index.get("full_scan_threshold"), f"{where}.index.full_scan_threshold"),
            on_disk=flag(index.get("on_disk"), f"{where}.index.on_disk"),
            modifier=modifier(value.get("modifier"), f"{where}.modifier"),
            datatype=variant(core.VectorStorageDatatype, index.get("datatype"), f"{where}.index.datatype"),
            memory=memory(value.get("memory") or index.get("memory")),
        )
    )


def vector_name(name):
    text(name, "vector name", 255)
    if any(ord(character) < 32 or character in "/\\" for character in name):
        raise invalid("vectors", name, "name cannot contain control characters or slashes")
    return name


def optimizers(value):
    value = mapping(value or {}, "optimizers_config")
    where = "optimizers_config"
    integer(value.get("flush_interval_sec"), f"{where}.flush_interval_sec")
    integer(value.get("memmap_threshold"), f"{where}.memmap_threshold")
    threads = value.get("max_optimization_threads")
    if threads != "auto":
        integer(threads, f"{where}.max_optimization_threads")
    return core.EdgeOptimizersConfig(
        **given(
            deleted_threshold=number(value.get("deleted_threshold"), f"{where}.deleted_threshold", 0.0, 1.0),
            vacuum_min_vector_number=integer(value.get("vacuum_min_vector_number"), f"{where}.vacuum_min_vector_number", 100),
            default_segment_number=integer(value.get("default_segment_number"), f"{where}.default_segment_number", 0, 64),
            max_segment_size=integer(value.get("max_segment_size"), f"{where}.max_segment_size", 1),
            indexing_threshold=integer(value.get("indexing_threshold"), f"{where}.indexing_threshold"),
            prevent_unoptimized=flag(value.get("prevent_unoptimized"), f"{where}.prevent_unoptimized"),
        )
    )


def is_single(vectors):
    return isinstance(vectors, dict) and "size" in vectors and not isinstance(vectors["size"], dict)


def check_wal(value):
    value = mapping(value or {}, "wal_config")
    integer(value.get("wal_capacity_mb"), "wal_config.wal_capacity_mb", 1)
    integer(value.get("wal_segments_ahead"), "wal_config.wal_segments_ahead")
    integer(value.get("wal_retain_closed"), "wal_config.wal_retain_closed", 1)


def check_shape(body):
    """One process holds the whole collection: more shards or copies would be promises that nobody keeps."""
    for key in ("shard_number", "replication_factor", "write_consistency_factor"):
        integer(body.get(key), key, 1, 1_000)
    if body.get("sharding_method") not in (None, "auto", "custom"):
        raise malformed(f"unknown variant `{body['sharding_method']}`, expected `auto` or `custom`")
    if body.get("sharding_method") == "custom":
        raise malformed("custom sharding needs several members")


def core_config(body, threads):
    """The whole configuration of a collection, checked. `threads`: of its searches."""
    body = mapping(body)
    base = mapping(body.get("hnsw_config") or {}, "hnsw_config")
    check_wal(body.get("wal_config"))
    check_shape(body)
    mapping(body.get("metadata") or {}, "metadata")
    vectors = body.get("vectors")
    if vectors is None:
        known = None
    elif is_single(vectors):
        known = dense(vectors, "vectors", base)
    else:
        known = {vector_name(name): dense(one, f"vectors.{name}", base) for name, one in mapping(vectors, "vectors").items()}
    sparse_vectors = mapping(body.get("sparse_vectors") or {}, "sparse_vectors")
    return core.EdgeConfig(
        vectors=known or None,
        sparse_vectors={vector_name(name): sparse(one, f"sparse_vectors.{name}") for name, one in sparse_vectors.items()} or None,
        on_disk_payload=flag(body.get("on_disk_payload"), "on_disk_payload"),
        hnsw_config=hnsw(body.get("hnsw_config")),
        quantization_config=quantization(body.get("quantization_config")),
        optimizers=optimizers(body.get("optimizers_config")),
        max_search_threads=threads,
    )


INDEXES = {
    "keyword": core.KeywordIndexParams,
    "integer": core.IntegerIndexParams,
    "float": core.FloatIndexParams,
    "geo": core.GeoIndexParams,
    "text": core.TextIndexParams,
    "bool": core.BoolIndexParams,
    "datetime": core.DatetimeIndexParams,
    "uuid": core.UuidIndexParams,
}
FLAGS = (
    "is_tenant", "on_disk", "enable_hnsw", "prefix", "lookup", "range", "is_principal",
    "lowercase", "ascii_folding", "phrase_matching",
)


def payload_index(schema):
    """An index over one field of the payload: a word, or its parameters."""
    if isinstance(schema, str):
        return variant(core.PayloadSchemaType, schema, "field_schema")
    schema = mapping(schema, "field_schema")
    name = required(schema, "type", "field_schema")
    if not isinstance(name, str) or name not in INDEXES:
        raise malformed(f"field_schema: unknown variant `{name}`")
    options = {key: flag(schema[key], f"field_schema.{key}") for key in FLAGS if schema.get(key) is not None}
    options |= given(memory=memory(schema.get("memory")))
    if name == "integer" and schema.get("lookup") is False and schema.get("range") is False:
        raise invalid("field_schema", "false", "the 'lookup' and 'range' capabilities can't be both disabled")
    if name == "text":
        for key in ("min_token_len", "max_token_len"):
            options |= given(**{key: integer(schema.get(key), f"field_schema.{key}", 0, 65_536)})
        options |= given(tokenizer=variant(core.TokenizerType, schema.get("tokenizer"), "field_schema.tokenizer"))
        options |= given(stopwords=stopwords(schema.get("stopwords")), stemmer=stemmer(schema.get("stemmer")))
    try:
        return INDEXES[name](**options)
    except TypeError as error:
        raise malformed(f"field_schema: {error}") from None


def stopwords(value):
    if value is None:
        return None
    if isinstance(value, str):
        return variant(core.Language, value, "stopwords")
    value = mapping(value, "stopwords")
    languages = {variant(core.Language, one, "stopwords.languages") for one in listing(value.get("languages") or [], "stopwords.languages")}
    return core.StopwordsSet(
        languages=languages, custom={text(one, "stopwords.custom") for one in listing(value.get("custom") or [], "stopwords.custom")}
    )


def stemmer(value):
    if value is None:
        return None
    value = mapping(value, "stemmer")
    if value.get("type") != "snowball":
        return core.DisabledStemmer()
    return core.SnowballParams(language=variant(core.SnowballLanguage, required(value, "language"), "stemmer.language"))
