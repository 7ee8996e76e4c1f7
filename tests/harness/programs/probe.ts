import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

// A thread of its own, so that what the test sends meanwhile delays no measurement.

export type Probe = { readonly url: string; readonly headers: Readonly<Record<string, string>> }
export type Probed = { readonly url: string; readonly status: number; readonly ms: number }

const everyMs = 50

const agent = new Agent({ keepAlive: true })

const ask = ({ url, headers }: Probe): Promise<Probed> =>
  new Promise((resolve, reject) => {
    const since = performance.now()
    get(url, { agent, headers }, (response) => {
      response.resume()
      response.on('error', reject)
      response.on('end', () => resolve({ url, status: response.statusCode ?? 0, ms: performance.now() - since }))
    }).on('error', reject)
  })

for (const probe of workerData as readonly Probe[]) {
  void (async () => {
    for (;;) {
      parentPort?.postMessage(await ask(probe))
      await sleep(everyMs)
    }
  })()
}
