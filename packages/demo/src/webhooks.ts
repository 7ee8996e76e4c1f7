import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { exampleIds, type Output, type webhooks } from '@kontor/contract'
import { receiverHost, type Stage } from './stage.ts'
import { memberOf } from './values.ts'

/** When the deliveries are made, in days ago: the first one fails, and is tried again some minutes later. */
const beganDaysAgo = 3 / 24
const triedAgainDaysAgo = 2.9 / 24

/** Longest wait for a delivery: without it there are fewer samples, and a server that starts all the same. */
const waitMs = 10_000
const pauseMs = 20

const amounts = [45_000, 43_500, 42_000]

/**
 * A webhook that has told a receiver of a deal, which is bargained over. The receiver is there while the samples are
 * made; afterwards the webhook is disabled and leads to where none is.
 */
export async function makeWebhook(stage: Stage): Promise<void> {
  const admin = stage.as('admin')
  const receiver = await openReceiver()
  stage.clock.goTo(beganDaysAgo)
  stage.nextIds(exampleIds.webhook)
  await admin('webhooks.create', {
    body: {
      url: receiver.url,
      events: ['record.created', 'record.updated'],
      filter: { object: 'deal' },
      description: 'Deals for the warehouse',
    },
  })
  await stage.webhookRunner.start()
  try {
    for (const amount of amounts) await offer(stage, amount)
    await untilSent(stage, (sent) => sent.length === amounts.length && sent.some(({ attempts }) => attempts === 1))
    stage.clock.goTo(triedAgainDaysAgo)
    await untilSent(stage, (sent) => sent.every(hasArrived))
    stage.nextIds(exampleIds.webhookDelivery)
    await admin('webhooks.test', { id: exampleIds.webhook })
    await untilSent(stage, (sent) => sent.every(hasArrived))
  } finally {
    await stage.webhookRunner.stop(waitMs)
    await receiver.close()
  }
  await admin('webhooks.update', {
    id: exampleIds.webhook,
    body: { url: 'https://receiver.example/kontor', enabled: false },
  })
}

const offer = (stage: Stage, amount: number) =>
  stage.updateMany('admin', 'deal', [{ id: exampleIds.deal, attributes: { amount } }])

type Delivery = Output<typeof webhooks.listDeliveries>['data'][number]['attributes']

const hasArrived = ({ status }: Delivery): boolean => status === 'succeeded'

async function untilSent(stage: Stage, isEnough: (sent: readonly Delivery[]) => boolean): Promise<void> {
  for (const late = performance.now() + waitMs; performance.now() < late; await sleep(pauseMs)) {
    const { data } = await stage.as('admin')('webhooks.listDeliveries', { id: exampleIds.webhook })
    if (isEnough(data.map(({ attributes }) => attributes))) return
  }
}

/** Takes requests, but for the first one: programs start too. */
async function openReceiver() {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    request.resume()
    const [status, text] = requests === 1 ? [503, 'Starting'] : [200, 'Taken']
    response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, receiverHost, resolve)
  })
  const address = server.address()
  return {
    url: `http://${receiverHost}:${String(memberOf(address, 'port'))}/kontor`,
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
