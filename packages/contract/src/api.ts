import { z } from 'zod'
import { domain } from './endpoint.ts'

const address = (description: string) => z.url().meta({ description })

/** The root of the API. */
export const api = domain({
  get: {
    method: 'GET',
    path: '/',
    caller: 'public',
    scope: null,
    summary: 'Get the index',
    description:
      'Returns the name and version of the service and the addresses of its documents. It requires ' +
      'no credential, and ignores one that is sent.',
    response: z
      .object({
        name: z.literal('Kontor'),
        version: z
          .string()
          .meta({ description: 'Version of the server; the version of the API is in its path.', example: '1.0.0' }),
        documents: z.object({
          openapi: address('The OpenAPI document of this API.'),
          actions: address('The OpenAPI document of the same operations as flat calls.'),
          reference: address('The reference for people.'),
        }),
      })
      .meta({ id: 'ApiIndex' }),
  },
})
