import "@mantine/core/styles.css";
import "./app/app.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BrowserRouter } from "react-router";
import { App } from "./app/App";
import { queries } from "./app/queries";
import { styleNonce } from "./app/nonce";
import { allowOwnStyles } from "./app/styles";
import { theme } from "./app/theme";
import { Boundary } from "./parts/Boundary";
import { Dialogs } from "./parts/dialogs";
import { Toasts } from "./parts/toasts";

allowOwnStyles();
createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queries}>
        <BrowserRouter>
          <Boundary>
            <Dialogs>
              <App />
            </Dialogs>
          </Boundary>
          <Toasts />
        </BrowserRouter>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
