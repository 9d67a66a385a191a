/** How a member answered: `refused` as nothing listens or it ended, `starting` as it recovers, `silent` as it hangs. */
export type Failure = 'refused' | 'starting' | 'silent';

export class MemberError extends Error {
  constructor(
    readonly failure: Failure,
    cause: unknown,
  ) {
    super(`the member is ${failure}`, { cause });
  }
}
