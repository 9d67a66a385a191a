'use client';

import { useState } from 'react';
import { CodeEditor } from '@/components/kit/code/code-editor';
import { languageOf } from '@/components/kit/code/languages';
import { Card } from '@/components/kit/ui/card';
import { Select } from '@/components/kit/ui/select';
import { PiecePage } from '../piece-page';
import { samples } from '../sample-code';

const files = Object.keys(samples).map((name) => ({ value: name, label: name }));

export default function CodeEditorPage() {
  const [file, setFile] = useState('handler.ts');
  const [texts, setTexts] = useState<Record<string, string>>(samples);
  const text = texts[file] ?? '';
  return (
    <PiecePage name="code-editor">
      <Card
        title="Function code"
        description={`${text.split('\n').length} lines`}
        actions={<Select aria-label="File" options={files} value={file} onValueChange={setFile} className="min-w-40" />}
      >
        <CodeEditor
          label="Function code"
          language={languageOf(file)}
          value={text}
          onChange={(next) => setTexts({ ...texts, [file]: next })}
        />
      </Card>
      <Card title="Read only">
        <CodeEditor label="Deployed version" language="sql" value={samples['report.sql']} wrap />
      </Card>
      <Card title="Empty">
        <CodeEditor label="Query" language="sql" value="" onChange={() => {}} placeholder="SELECT …" />
      </Card>
    </PiecePage>
  );
}
