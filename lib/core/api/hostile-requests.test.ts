import { endpoints } from '@/lib/platform/endpoints';
import { testDatabase } from '@/lib/testing/database';
import { fixtures } from '@/lib/testing/fixtures';
import { hostileRequests } from '@/lib/testing/hostile-requests';

testDatabase();
hostileRequests({ endpoints, served: endpoints, fixtures });
