"""What clients are told when a request is refused: the status codes and first words that clients of Qdrant know."""


class Refusal(Exception):
    def __init__(self, status, message, retry_after=None):
        super().__init__(message)
        self.status = status
        self.message = message
        self.retry_after = retry_after


def malformed(message):
    """The body is no such request at all."""
    return Refusal(400, f"Format error in JSON body: {message}")


def invalid(where, value, rule):
    """A value is outside of its bounds."""
    return Refusal(422, f"Validation error in JSON body: [{where}: value {value} invalid, {rule}]")


def wrong(message):
    return Refusal(400, f"Wrong input: {message}")


def missing(message):
    return Refusal(404, f"Not found: {message}")


def conflict(message):
    return Refusal(409, f"Wrong input: {message}")


def no_collection(name):
    return missing(f"Collection `{name}` doesn't exist!")
