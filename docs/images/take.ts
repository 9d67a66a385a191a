import { furnishPlatform, takePictures } from '@/lib/testing/pictures';
import { startPlatform } from '@/lib/testing/platform';

// npm run pictures: starts a platform of its own, and takes the pictures of README and tour anew.
const platform = await startPlatform();
try {
  await furnishPlatform(platform.url);
  await takePictures(platform.url, import.meta.dirname);
} finally {
  await platform.dispose();
}
