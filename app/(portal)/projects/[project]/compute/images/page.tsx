'use client';

import { images } from '@/components/images/domain';
import { useImageActions } from '@/components/images/image-actions';
import { imageColumns } from '@/components/images/image-columns';
import { UploadList } from '@/components/images/upload-list';
import { ResourceList } from '@/components/kit/resource/resource-list';
import { listImages } from '@/lib/client/operations/images';

const filters = [
  {
    name: 'visibility',
    label: 'Source',
    options: [
      { value: 'public', label: 'Certified' },
      { value: 'private', label: 'This project' },
    ],
  },
  {
    name: 'status',
    label: 'Status',
    options: [
      { value: 'active', label: 'Active' },
      { value: 'queued', label: 'On first use' },
      { value: 'importing', label: 'Preparing' },
      { value: 'error', label: 'Error' },
    ],
  },
  {
    name: 'format',
    label: 'Format',
    options: ['QCOW2', 'RAW', 'ISO'].map((format) => ({ value: format, label: format })),
  },
];

/** What instances boot from: the certified catalogue, and what the project has uploaded. */
export default function ImagesPage() {
  return (
    <ResourceList
      of={images}
      list={listImages}
      about="Disk images for instances and volumes. Certified images are fetched on first use."
      empty="An image is the initial disk of an instance: an operating system, or your own build."
      above={<UploadList />}
      columns={imageColumns}
      filters={filters}
      actions={useImageActions()}
    />
  );
}
