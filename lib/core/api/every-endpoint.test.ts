import { endpoints } from '@/lib/platform/endpoints';
import { tags } from '@/lib/platform/tags';
import { testDatabase } from '@/lib/testing/database';
import { everyEndpoint } from '@/lib/testing/every-endpoint';
import { fixtures } from '@/lib/testing/fixtures';

testDatabase();
everyEndpoint({ endpoints, served: endpoints, tags, fixtures });
