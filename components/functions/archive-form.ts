/** A request with an archive: a form with the fields of the JSON body, in which values other than strings are JSON. */
export function archiveForm(body: object, archive: File): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  form.append('archive', archive, archive.name);
  return form;
}
