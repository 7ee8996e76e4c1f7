import { z } from 'zod'

const count = z.coerce.number('must be a number').int('must be a whole number').min(1, 'must be from 1 on')

/** Settings of how much a server does at once, and how long it waits. */
export const limitVariables = {
  REQUESTS_MAX: count.default(1000).describe('concurrent requests in each server; more get 503 with Retry-After'),
  STREAMS_MAX: count.default(15_000).describe('clients that may follow events in each server, some 20 KB each'),
  WORKSPACE_STREAMS_MAX: count.default(5000).describe('those of one workspace'),
  CREDENTIAL_STREAMS_MAX: count.default(100).describe('those of one key, or of one person with one app'),
  REQUEST_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1000)
    .max(3_600_000)
    .default(60_000)
    .describe('longest that a request may take to arrive'),
  DRAIN_MS: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(0, 'must be from 0 on')
    .max(60_000, 'must be at most 60000')
    .default(5000)
    .describe('time after SIGTERM in which a server still serves, so that load balancers notice'),
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
