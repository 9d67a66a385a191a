export { DELETE, GET, PATCH, POST, PUT } from '@/lib/platform/next-mount';
