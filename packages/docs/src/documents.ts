import { contract } from '@kontor/contract'
import { errorGuide, toOpenApi } from '@kontor/contract/openapi'

/** Where `npm start` serves by default; a running server puts its own addresses into the document that it sends. */
export const origin = 'http://127.0.0.1:4000'

const errorsPage = `<!-- Generated from packages/contract/src/errors.ts by packages/docs/src/build.ts. -->

${errorGuide}
`

/** The committed files that follow from the contract, by their path in this package. */
export const documents = (): Record<string, string> => ({
  'openapi.json': `${JSON.stringify(toOpenApi(contract, { serverUrl: `${origin}/v1`, authUrl: origin }), null, 2)}\n`,
  'pages/errors.md': errorsPage,
})
