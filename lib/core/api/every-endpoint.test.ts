import { endpoints } from '@/lib/platform/endpoints';
import { tags } from '@/lib/platform/tags';
import { forgetSettings } from '@/lib/settings';
import { testDatabase } from '@/lib/testing/database';
import { everyEndpoint } from '@/lib/testing/every-endpoint';
import { fixtures } from '@/lib/testing/fixtures';

testDatabase();
// The suite sends more requests without a valid token in a minute than one address may.
process.env.RATE_LIMIT_ANONYMOUS_PER_MINUTE = '100000';
forgetSettings();
everyEndpoint({ endpoints, served: endpoints, tags, fixtures });
