/** A program that an engine needs and did not find, with the Debian package that has it. */
export type MissingProgram = { program: string; package: string };

/** What one engine can do on this host, as `/readyz` and the back office show it. */
export type EngineStatus = {
  engine: 'compute' | 'network' | 'storage' | 'images' | 'services';
  ok: boolean;
  missing: MissingProgram[];
  /** One or two sentences: what works, what is limited, what to do about it. */
  message: string;
};
