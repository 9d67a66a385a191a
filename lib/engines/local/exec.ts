import { spawn } from 'node:child_process';
import { EngineError } from '../error';
import { PROGRAM_PATH, packageOf } from './programs';

export type RunOptions = {
  input?: string;
  timeoutMs?: number;
  cwd?: string;
  /** Beside the small environment that every program gets. */
  environment?: Record<string, string>;
};

/** A small environment of our own: programs run alike for every operator and never see the platform's secrets. */
export function programEnvironment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { PATH: PROGRAM_PATH, LC_ALL: 'C', HOME: '/', NODE_ENV: 'production', ...extra };
}

/**
 * Runs a program to its end and gives its standard output.
 * @throws EngineError `ENGINE_UNAVAILABLE` when the program is not installed, `ENGINE_ERROR` when it fails, whose `detail` has the arguments too
 */
export function run(argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const [program = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: 'pipe',
      env: programEnvironment(options.environment),
      cwd: options.cwd,
      timeout: options.timeoutMs ?? 60_000,
      killSignal: 'SIGKILL',
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4000);
    });
    child.on('error', (error) => reject(cannotStart(program, error)));
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(output);
      const why = errors.trim() || output.trim().slice(-1000) || (signal ? `ended by ${signal}` : `exit code ${code}`);
      const detail = `${argv.slice(0, 12).join(' ')}: ${why}`;
      reject(new EngineError('ENGINE_ERROR', `A program on the host failed: ${why}`, { detail }));
    });
    // A program that dies before it has read its input is reported by its exit code, not by the broken pipe.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
}

function cannotStart(program: string, error: Error): EngineError {
  const hint = packageOf(program);
  return new EngineError(
    'ENGINE_UNAVAILABLE',
    hint ? `${program} is missing. Run: apt install ${hint}` : error.message,
    {
      cause: error,
    },
  );
}
