/** The ACLs of a bucket. */
export const aclCards = [
  {
    value: 'private',
    label: 'Private',
    description: 'Only members of the project, their access keys, and whom a policy lets in',
  },
  { value: 'public-read', label: 'Public', description: 'Everyone on the internet can list and read the objects' },
];

export const versioningCards = [
  { value: 'off', label: 'Not kept', description: 'Replaced and deleted objects are gone at once' },
  { value: 'on', label: 'Kept', description: 'They can be restored, and are billed until they are deleted' },
];

/** Object lock, which a bucket keeps for good. */
export const lockCard = {
  value: 'lock',
  label: 'Kept, with object lock',
  description: 'S3 clients can lock versions against deletion. It can’t be turned off',
};
