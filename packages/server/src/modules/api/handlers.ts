import { api, version } from '@kontor/contract'
import { implement } from '../../kernel/implement.ts'

export const apiHandlers = implement(api, {
  async get({ baseUrl }) {
    const { origin } = new URL(baseUrl)
    return {
      body: {
        name: 'Kontor' as const,
        version,
        documents: {
          openapi: `${baseUrl}/openapi.json`,
          actions: `${origin}/actions/openapi.json`,
          reference: `${origin}/docs/`,
        },
      },
    }
  },
})
