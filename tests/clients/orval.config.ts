import { defineConfig } from 'orval'

export default defineConfig({
  kontor: {
    input: '../../packages/docs/openapi.json',
    // One file: there the names of components stand beside the globals that the client itself uses.
    output: { target: 'generated/orval.ts', client: 'fetch', mode: 'single', baseUrl: 'http://kontor.test/v1' },
  },
})
