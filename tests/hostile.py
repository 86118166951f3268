"""Labels that would break out of a page that does not escape them."""

HOSTILE = ("</script><img src=x onerror=alert(1)>", "\"'`${alert(1)}", "שלום \u202e rtl", "👩‍👩‍👧 & <b>", "a\u2028b")
