import { formatGigabytes } from '@/lib/format/size';

/** The sizes of a member that the pages offer; the API takes any. */
const offered = [
  [1, 1],
  [1, 2],
  [2, 2],
  [2, 4],
  [2, 8],
  [4, 8],
  [4, 16],
  [8, 16],
  [8, 32],
] as const;

/** A size as the value of a choice: "2x4" is 2 vCPUs with 4 GB. */
export const sizeKey = (vcpus: number, ram_gb: number): string => `${vcpus}x${ram_gb}`;

/** The vCPUs and memory of a choice. */
export function sizeOfKey(key: string): { vcpus: number; ram_gb: number } {
  const [vcpus = 1, ram_gb = 1] = key.split('x').map(Number);
  return { vcpus, ram_gb };
}

/** Sizes as options, with the current one where it is none of the offered. */
export function sizeOptions(current?: { vcpus: number; ram_gb: number }) {
  const keys = offered.map(([vcpus, ram_gb]) => sizeKey(vcpus, ram_gb));
  const own = current && sizeKey(current.vcpus, current.ram_gb);
  const all = own === undefined || keys.includes(own) ? keys : [own, ...keys];
  return all.map((value) => {
    const { vcpus, ram_gb } = sizeOfKey(value);
    return { value, label: `${vcpus} vCPU, ${formatGigabytes(ram_gb)} memory` };
  });
}
