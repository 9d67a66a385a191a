/** What an error says, with its causes: a certificate that is not trusted is one. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? [error.message, ...(error.cause ? [messageOf(error.cause)] : [])].join(': ') : String(error);
