import { z } from 'zod'

const count = z.coerce.number('must be a number').int('must be a whole number').min(1, 'must be at least 1')

/** Settings of how much a server does at once, and how long it waits. */
export const limitVariables = {
  REQUESTS_MAX: count.default(1000).describe('concurrent requests in each server; more get 503 with Retry-After'),
  STREAMS_MAX: count.default(15_000).describe('event streams in each server, about 20 KB of memory each'),
  WORKSPACE_STREAMS_MAX: count.default(5000).describe('event streams of one workspace in each server'),
  CREDENTIAL_STREAMS_MAX: count
    .default(100)
    .describe('event streams of one key, or of one person with one app, in each server'),
  REQUEST_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1000)
    .max(3_600_000)
    .default(60_000)
    .describe('maximum time for a request to arrive'),
  DRAIN_MS: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(60_000, 'must be at most 60000')
    .default(5000)
    .describe('time that a server keeps serving after SIGTERM, so that load balancers notice'),
} as const

export type ServerLimits = {
  readonly requestsMax: number
  /** How many may follow events in one process. */
  readonly streams: { readonly all: number; readonly ofWorkspace: number; readonly ofCredential: number }
  readonly requestTimeoutMs: number
  readonly drainMs: number
}

type Values = { readonly [Name in keyof typeof limitVariables]: z.infer<(typeof limitVariables)[Name]> }

export const readLimits = (values: Values): ServerLimits => ({
  requestsMax: values.REQUESTS_MAX,
  streams: {
    all: values.STREAMS_MAX,
    ofWorkspace: values.WORKSPACE_STREAMS_MAX,
    ofCredential: values.CREDENTIAL_STREAMS_MAX,
  },
  requestTimeoutMs: values.REQUEST_TIMEOUT_MS,
  drainMs: values.DRAIN_MS,
})
