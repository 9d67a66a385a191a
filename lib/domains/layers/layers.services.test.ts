import { layerSuite } from '@/lib/testing/layer-suite';

await layerSuite(process.getuid?.() === 0 ? 'root' : 'an ordinary user');
