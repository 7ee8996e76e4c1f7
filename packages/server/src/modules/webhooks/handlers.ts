import { webhooks } from '@kontor/contract'
import { implement } from '../../kernel/implement.ts'
import * as deliveries from './deliveries/handlers.ts'
import * as subscriptions from './subscriptions.ts'

/** The handlers of webhooks and of their deliveries. */
export const webhookHandlers = (services: subscriptions.WebhookServices) =>
  implement(webhooks, {
    list: subscriptions.listPage,
    create: (ctx, input) => subscriptions.create(ctx, services, input),
    get: subscriptions.get,
    update: (ctx, input) => subscriptions.update(ctx, services, input),
    remove: subscriptions.remove,
    rotateSecret: (ctx, input) => subscriptions.rotateSecret(ctx, services, input),
    test: deliveries.test,
    stats: deliveries.stats,
    listDeliveries: deliveries.listPage,
    getDelivery: deliveries.get,
    resend: deliveries.resend,
    recover: deliveries.recover,
  })
