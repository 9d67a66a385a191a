import { gatewayContract } from '@/lib/testing/gateway-contract';

await gatewayContract('as this user');
