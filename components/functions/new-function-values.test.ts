import { describe, expect, test } from 'vitest';
import { safeParse } from 'zod/v4/core';
import { archiveForm } from './archive-form';
import { ARCHIVE_BYTES } from './archive-limits';
import { creationBody, creationSchema, type NewFunctionValues } from './new-function-values';
import type { Template } from './types';

const values: NewFunctionValues = {
  name: 'hello',
  template_id: 'python3.11',
  source: 'example',
  archive: null,
  network: 'none',
  network_id: '',
  security_group_ids: ['g1'],
};
const template = { id: 'python3.11', example: 'def handler(event, context): ...' } as Template;

function problemOf(archive: File | null): string | undefined {
  const parsed = safeParse(creationSchema, { ...values, source: 'archive', archive });
  return parsed.success ? undefined : parsed.error.issues[0]?.message;
}

describe('a new function', () => {
  test('names a network and groups only with a port', () => {
    expect(creationBody({ ...values, network_id: 'n1' }, [template])).toEqual({
      name: 'hello',
      template_id: 'python3.11',
      network: 'none',
      code: template.example,
    });
    expect(creationBody({ ...values, network: 'project', network_id: 'n1' }, [template])).toMatchObject({
      network: 'project',
      network_id: 'n1',
      security_group_ids: ['g1'],
    });
    expect(creationBody({ ...values, network: 'project' }, [template])).not.toHaveProperty('network_id');
  });

  test('takes a zip file of at most 50 MB', () => {
    const big = new File(['x'], 'code.zip');
    Object.defineProperty(big, 'size', { value: ARCHIVE_BYTES + 1 });
    expect(problemOf(null)).toBe('Choose a zip file.');
    expect(problemOf(new File(['x'], 'main.py'))).toBe('This is not a zip file.');
    expect(problemOf(new File([], 'code.zip'))).toBe('The file is empty.');
    expect(problemOf(big)).toBe('The file is larger than 50 MB.');
    expect(problemOf(new File(['x'], 'code.ZIP'))).toBeUndefined();
  });

  test('is sent with its archive as a form, in which numbers and lists are JSON', () => {
    const form = archiveForm({ name: 'hello', memory_mb: 256, env: { KEPT: null } }, new File(['x'], 'code.zip'));
    expect([form.get('name'), form.get('memory_mb'), form.get('env')]).toEqual(['hello', '256', '{"KEPT":null}']);
    expect(form.get('archive')).toBeInstanceOf(File);
  });
});
