/** How long to wait before code is asked for again. */
const RETRY_MS = 1500;

/**
 * For `dynamic()`: loads until the server answers. A dialog that is asked for while the connection is lost comes with
 * it, instead of taking the page, and what is being written in it, away with an error.
 */
export async function whenReachable<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (typeof window === 'undefined') throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
