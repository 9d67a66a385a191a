import { expect, test } from 'vitest';
import { parseSettings } from '@/lib/settings';
import GalleryLayout from './layout';

test('the gallery is 404 unless enabled by a setting or in development', () => {
  expect(() => GalleryLayout({ children: null })).toThrow(/404/);
  expect(parseSettings({}).componentGallery).toBe(false);
  expect(parseSettings({ COMPONENT_GALLERY: 'true' }).componentGallery).toBe(true);
  expect(parseSettings({ NODE_ENV: 'development' }).componentGallery).toBe(true);
});
