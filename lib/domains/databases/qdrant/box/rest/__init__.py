"""The REST API of Qdrant in front of Qdrant's own core."""
