import { Button } from '@/components/kit/ui/button';
import { Dialog } from '@/components/kit/ui/dialog';
import { ClientSettings } from './client-settings';

interface SettingsDialogProps {
  client: { id: string; name: string; client_secret?: string };
  close: () => void;
}

/** The settings of an application, with its new secret after a rotation. */
export function SettingsDialog({ client, close }: SettingsDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => open || close()}
      size="lg"
      title={`Settings for ${client.name}`}
      description="Members of this project sign in to the application with their Nephele account."
    >
      <div className="space-y-5">
        <ClientSettings client={client} />
        <div className="flex justify-end">
          <Button onClick={close}>Close</Button>
        </div>
      </div>
    </Dialog>
  );
}
