import { z } from 'zod'
import { domain } from './endpoint.ts'
import { timestamp } from './shared.ts'

const key = z
  .string()
  .meta({ description: 'The `Idempotency-Key` of the request.', example: 'import-2026-01-31-row-17' })

const request = z
  .object({
    type: z.literal('request'),
    id: key,
    attributes: z.object({
      _id: key,
      endpoint: z.string().meta({ description: 'The operation, as tRPC names it.', example: 'records.createMany' }),
      status: z.int().meta({ description: 'Status of its answer.', example: 201 }),
      body: z
        .record(z.string(), z.unknown())
        .nullable()
        .meta({
          description:
            'Body of its answer; null where it had none, where it held a secret, and for a credential without ' +
            'the scope that the request needed.',
        }),
      _created_at: timestamp,
      expires_at: timestamp.meta({ description: 'When its answer is forgotten, and its key can be used anew.' }),
    }),
  })
  .meta({ id: 'SentRequest', description: 'A request that changed something, known by its `Idempotency-Key`.' })

/** Returns whether a request went through that was not heard of again. */
export const requests = domain({
  get: {
    method: 'GET',
    path: '/workspaces/{workspace}/requests/{key}',
    caller: 'any',
    scope: null,
    openToApps: true,
    summary: 'Get a request by its key',
    description:
      'For a caller that sent a change with an `Idempotency-Key` and did not get its answer. 200 says that ' +
      'it was committed, within the last 24 hours, by the same user or workspace key; 404 that no such ' +
      'change was, so that it can be sent again under its key; 409 that it is still running. Where one key ' +
      'was used for several operations, the latest is shown, and `endpoint` asks for another.',
    query: z.strictObject({
      endpoint: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .meta({ description: 'The operation to ask for, for example `records.createMany`.' }),
    }),
    response: z.object({
      data: request,
      meta: z.object({
        endpoints: z
          .array(z.string())
          .meta({ description: 'All operations that the key was used for, the latest first.' }),
      }),
    }),
    errors: ['idempotency_in_progress'],
  },
})
