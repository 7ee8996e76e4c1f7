import { z } from 'zod'
import { domain } from './endpoint.ts'

const address = (description: string) => z.url().meta({ description })

/** What there is at the root of the API. */
export const api = domain({
  get: {
    method: 'GET',
    path: '/',
    caller: 'public',
    scope: null,
    summary: 'Get the index',
    description:
      'Which service answers, in which version, and where its documents are. Needs no credential, and looks at none.',
    response: z
      .object({
        name: z.literal('Kontor'),
        version: z
          .string()
          .meta({ description: 'Of the server; the version of the API stands in its path.', example: '1.0.0' }),
        documents: z.object({
          openapi: address('The OpenAPI document of this API.'),
          actions: address('The OpenAPI document of the same operations as flat calls.'),
          reference: address('The reference for people.'),
        }),
      })
      .meta({ id: 'ApiIndex' }),
  },
})
