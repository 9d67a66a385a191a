/** Pause before the next attempt to load a chunk: soon enough to seem immediate, rare enough not to press a server that starts. */
const RETRY_MS = 1500;

/** Loads a chunk, trying again while the server can't be reached. */
export async function untilLoaded<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      if (typeof window === 'undefined') throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
