# The service as it runs in production: its build, the packages that it needs there, and nothing else.
# DATABASE_URL, PUBLIC_URL, JWT_SECRETS and ENCRYPTION_KEYS come from outside: docs/generated/env.md.

FROM node:24-slim AS build
WORKDIR /app
# What the packages depend on comes first, so that a change of the source does not install them again.
COPY package.json package-lock.json .npmrc ./
COPY clients/sdk/package.json clients/sdk/
RUN npm ci
COPY . .
RUN npm run build

# Without the embedded PostgreSQL, which production never starts.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/sdk/package.json clients/sdk/
RUN npm ci --omit=dev --omit=optional

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
# Files belong to root: the service writes nothing here.
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then(answer => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# No shell and no npm between the container and the process: SIGTERM must reach it.
CMD ["node", "dist/main.js"]
