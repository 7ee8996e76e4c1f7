import { createServer } from 'node:net'
import { users } from '@kontor/contract'
import { createRestClient } from '@kontor/client'
import { findRunningServer, type Config } from '@kontor/server/config'
import { apiAddress } from '../connection.ts'
import { fail, ok, warn, type ApiOptions, type Finding } from './finding.ts'

const answerMsMax = 5000

/** Checks that the API responds at its address, or else that it can be started there. */
export async function checkApi(config: Config, { baseUrl, apiKey, workspace }: ApiOptions): Promise<Finding> {
  const url = apiAddress(
    baseUrl ??
      config.baseUrl ??
      findRunningServer(config.dataDir)?.base_url ??
      `http://${config.host}:${config.port}/v1`,
  )
  const state = await readiness(url)
  if (state === undefined && baseUrl !== undefined) return fail(`nothing responds at ${url}`)
  if (state === undefined) return checkPort(config)
  if (state !== 'ready') return fail(`${url} responds, but is not ready: ${state}`)
  if (apiKey === undefined || workspace === undefined) return ok(`responds at ${url}`)
  await createRestClient({ url, apiKey }).call(users.list, { workspace, page: { limit: 1 } })
  return ok(`responds at ${url}, and accepts this key for "${workspace}"`)
}

/** Returns the report of /readyz; undefined if nothing responds. */
async function readiness(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url.replace(/\/v1\/?$/, '/readyz'), { signal: AbortSignal.timeout(answerMsMax) })
    const { status } = (await response.json().catch(() => ({}))) as { status?: string }
    return status ?? 'another program than Kontor responds there'
  } catch {
    return undefined
  }
}

const checkPort = ({ port, host }: Config): Promise<Finding> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve(
        error.code === 'EADDRINUSE'
          ? fail(`port ${port} of ${host} is taken by something else than Kontor`)
          : warn(`port ${port} of ${host} cannot be used: ${error.message}`),
      ),
    )
    server.listen(port, host, () => server.close(() => resolve(ok(`not running; port ${port} of ${host} is free`))))
  })
