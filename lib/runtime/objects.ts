import { closePool } from '@/lib/core/db/pool';
import { serveObjects } from '@/lib/domains/objects/serve';
import { settings } from '@/lib/settings';
import { announceStop } from '@/lib/stopping';
import { ConnectionLimit } from './connection-limit';
import { runSupervised } from './supervised';

const { s3, connectionsPerAddress, trustedProxies } = settings();

await runSupervised(async () => {
  const connections = new ConnectionLimit(connectionsPerAddress, [...trustedProxies, '127.0.0.0/8', '::1']);
  const serving = await serveObjects(s3, connections);
  return {
    async stop() {
      announceStop();
      await serving.stop();
      await closePool();
    },
  };
});
