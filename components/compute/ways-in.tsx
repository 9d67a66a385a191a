'use client';

import { Monitor, SquareTerminal } from 'lucide-react';
import { CodeBlock } from '@/components/kit/data/code-block';
import { DisabledReason } from '@/components/kit/data/disabled-reason';
import { Button } from '@/components/kit/ui/button';
import { Card } from '@/components/kit/ui/card';
import { useMay } from '@/lib/client/may';
import { BootLog } from './boot-log';
import { type ConsolePart, type Instance, useOpenConsole } from './instance-actions';
import { whyNot } from './instance-can';

const parts = [
  {
    part: 'screen',
    title: 'Screen',
    icon: Monitor,
    about: 'Display, keyboard and mouse. For installers, boot menus and desktops.',
    button: 'Open screen',
  },
  {
    part: 'terminal',
    title: 'Serial terminal',
    icon: SquareTerminal,
    about: 'Text with scrollback, copy and paste. For shells and boot messages.',
    button: 'Open serial terminal',
  },
] as const satisfies readonly { part: ConsolePart; [fact: string]: unknown }[];

/** Ways to sign in to an instance: its consoles, which need no network, and SSH; and what it wrote while it booted. */
export function WaysIn({ instance }: { instance: Instance }) {
  const may = useMay('openConsole');
  const open = useOpenConsole();
  const reason = may.reason ?? whyNot('console', instance);
  return (
    <div className="space-y-5">
      <div className="grid gap-5 sm:grid-cols-2">
        {parts.map(({ part, title, icon: Icon, about, button }) => (
          <Card key={part} title={title}>
            <div className="flex h-full flex-col items-start gap-4">
              <div className="flex gap-3">
                <Icon className="mt-0.5 size-5 shrink-0 text-ink-muted" aria-hidden="true" />
                <p className="text-pretty text-ink-muted text-sm">{about}</p>
              </div>
              <DisabledReason reason={reason}>
                <Button variant="primary" onClick={() => open(instance.id, part)}>
                  {button}
                </Button>
              </DisabledReason>
            </div>
          </Card>
        ))}
      </div>
      <Ssh instance={instance} />
      <Card title="Boot log">
        <BootLog instanceId={instance.id} />
      </Card>
    </div>
  );
}

function Ssh({ instance: { addresses, image, ssh_public_key } }: { instance: Instance }) {
  if (ssh_public_key === null) {
    return <Card title="SSH" description="Created without an SSH key. Use the console to sign in." />;
  }
  const [address] = addresses;
  const user = image.default_user ?? 'USER';
  const from = address?.floating_ip
    ? 'A security group must allow inbound TCP 22.'
    : 'From an instance on the same network. Associate a floating IP to connect from the internet.';
  return (
    <Card title="SSH" description={`Use the key that the instance was created with. ${from}`}>
      <CodeBlock code={`ssh ${user}@${address?.floating_ip ?? address?.ip ?? 'ADDRESS'}`} label="command" />
    </Card>
  );
}
