import { bounded, rate } from './forms.ts'
import { section, setting } from './section.ts'

/** Settings of how much a server does at once, and how long it waits. */
export const limitSettings = section(
  {
    rateLimitPerMinute: setting(
      'RATE_LIMIT_PER_MINUTE',
      rate.default(3000),
      'requests a minute for each workspace and endpoint, over all servers; 0 removes the limit',
    ),
    signInsPerMinute: setting(
      'SIGN_INS_PER_MINUTE',
      rate.default(10),
      'sign-in attempts a minute from each IP address; 0 removes the limit',
    ),
    oauthRegistrationsPerHour: setting(
      'OAUTH_REGISTRATIONS_PER_HOUR',
      rate.default(0),
      'apps that can register themselves in an hour from each IP address; 0 allows none',
    ),
    poolProcesses: setting(
      'POOL_PROCESSES',
      bounded(2, 64, { tooSmall: 'must be at least 2, so that one workspace never uses all of them' }).default(3),
      'processes for untrusted input (code, calendars, e-mail) in each server and worker',
    ),
    requestsMax: setting(
      'REQUESTS_MAX',
      bounded(1).default(1000),
      'concurrent requests in each server; more get 503 with Retry-After',
    ),
    all: setting('STREAMS_MAX', bounded(1).default(15_000), 'event streams in each server, about 20 KB of memory each'),
    ofWorkspace: setting(
      'WORKSPACE_STREAMS_MAX',
      bounded(1).default(5000),
      'event streams of one workspace in each server',
    ),
    ofCredential: setting(
      'CREDENTIAL_STREAMS_MAX',
      bounded(1).default(100),
      'event streams of one key, or of one person with one app, in each server',
    ),
    requestTimeoutMs: setting(
      'REQUEST_TIMEOUT_MS',
      bounded(1000, 3_600_000).default(60_000),
      'maximum time for a request to arrive',
    ),
    drainMs: setting(
      'DRAIN_MS',
      bounded(0, 60_000).default(5000),
      'time that a server keeps serving after SIGTERM, so that load balancers notice',
    ),
  },
  ({ all, ofWorkspace, ofCredential, ...limits }) => ({ ...limits, streams: { all, ofWorkspace, ofCredential } }),
)
